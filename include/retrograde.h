/*
 * retrograde.h - endgame tablebases for programs written in C.
 *
 * A tablebase knows who wins every position with few men (WDL, with the fifty-move rule), how soon
 * the next capture or pawn move comes (DTZ), and how soon mate (DTM). Open one with
 * retrograde_open, describe a position by bitboards or read it from a FEN, and ask.
 *
 *     const char *directories[] = {"tables"};
 *     retrograde_tables *tables;
 *     struct retrograde_position position;
 *     int wdl;
 *     if (retrograde_open(directories, 1, NULL, &tables) != RETROGRADE_OK
 *         || retrograde_read_fen("8/8/8/8/8/2k5/1R6/K7 w - - 0 1", &position) != RETROGRADE_OK
 *         || retrograde_probe_wdl(tables, &position, &wdl) != RETROGRADE_OK)
 *         fprintf(stderr, "%s\n", retrograde_last_error());
 *
 * ERRORS. Functions that can fail return RETROGRADE_OK, which is 0, or another of the codes below,
 * and then what they would have written through their pointers is not written.
 * retrograde_last_error says in one line what went wrong and what to do. Nothing is printed,
 * nothing exits, and no panic or exception leaves the library: a fault of its own is
 * RETROGRADE_INTERNAL.
 *
 * THREADS. All functions may be called from any number of threads at the same time, also with the
 * same tables, and need no lock of yours. Two exceptions: retrograde_free wants the tables for
 * itself, and retrograde_last_error speaks of the calls of its own thread only. Probes of other
 * blocks never wait while one is decoded.
 *
 * POINTERS are to be valid and aligned; NULL is an error unless it is said to be allowed. Strings
 * end with a zero byte. Structures are yours: the library keeps no pointer to anything you pass.
 *
 * FILES are mapped into memory when they are first needed. They must not be written to or made
 * shorter while they are open (put a new file beside an old one and rename it); on a failing disk a
 * mapped page is a signal for the process. With map_files = 0 neither can happen, and probes of
 * blocks that are not decoded yet are slower.
 *
 * MEN are counted with kings. Squares are numbers: a1 is 0, h1 is 7, a8 is 56, h8 is 63, and bit n
 * of a bitboard is square n. Values are those of the side to move unless something else is said.
 */

#ifndef RETROGRADE_H
#define RETROGRADE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Errors ---------------------------------------------------------------------------------- */

/* What a function that can fail returns. */
enum retrograde_status {
    /* It did what it should. */
    RETROGRADE_OK = 0,
    /* A table that the answer needs is not there: that of the position, or of one that a capture or
     * promotion leads to. So it is where there are more men than any table can have. */
    RETROGRADE_NO_TABLE = 1,
    /* The halfmove_clock is not 0, and retrograde_probe_wdl was asked. */
    RETROGRADE_CLOCK = 2,
    /* A side may still castle, which no table covers. */
    RETROGRADE_CASTLING = 3,
    /* The FEN cannot be read, or the men are no legal position. */
    RETROGRADE_BAD_POSITION = 4,
    /* A table is damaged, is not what its name says, or cannot be read: the disk fails, or there is
     * too little memory. */
    RETROGRADE_BAD_TABLE = 5,
    /* A directory cannot be listed. */
    RETROGRADE_BAD_DIRECTORY = 6,
    /*
     * A pointer is NULL where that is not allowed, or a number is none of those that have a
     * meaning; or there is too little memory for what the options ask for or for a list of tables
     * or moves.
     */
    RETROGRADE_BAD_ARGUMENT = 7,
    /* A fault of the library. */
    RETROGRADE_INTERNAL = 8
};

/*
 * One line on the last call of this thread that did not return RETROGRADE_OK: what, where, and what
 * to do about it; an empty string if there was none. The text stays until the next call of this
 * thread that fails. Never NULL.
 */
const char *retrograde_last_error(void);

/* ---- Tables ---------------------------------------------------------------------------------- */

/* The version of the library, such as "0.1.0". It stays for as long as the library is loaded. */
const char *retrograde_version(void);

/* The tables of some directories. Made by retrograde_open, ended by retrograde_free. */
typedef struct retrograde_tables retrograde_tables;

/* Which tables answer; see retrograde_options. */
enum retrograde_format {
    /* All; our own where a directory has a table in both formats. */
    RETROGRADE_ANY_FORMAT = 0,
    /* Only our own, .wdl, .dtz and .dtm. */
    RETROGRADE_NATIVE = 1,
    /* Only Syzygy tables, .rtbw and .rtbz. */
    RETROGRADE_SYZYGY = 2
};

/*
 * How tables are opened. Let retrograde_default_options fill it, then change what you want. Later
 * versions may add fields at its end: a program compiled with this header goes on to work, and has
 * the defaults of fields that it does not know.
 */
struct retrograde_options {
    /* sizeof(struct retrograde_options) where the program was compiled. Any other number is an
     * error. */
    size_t size;
    /* Bytes of decoded blocks of our own tables to keep, at most; 0 keeps none. Default 64 MiB. */
    size_t cache_bytes;
    /* Bytes for results of positions that were asked for, of tables of either format; 0 keeps none.
     * Default 1 MiB. */
    size_t result_bytes;
    /* For the places in blocks of Syzygy tables from which decoding can begin, 64 for each block; 0
     * keeps none. Default 4 MiB. */
    size_t checkpoint_bytes;
    /* For Syzygy tables of results that are decoded as a whole, which makes them several times as
     * fast: those of up to four men after some thousand probes, and those that
     * retrograde_prefetch_results is told of, as long as there is room. 0 decodes none. Default 64
     * MiB. */
    size_t preloaded_bytes;
    /* 1: files are mapped into memory. 0: they are read block by block, which is slower. Default
     * 1. */
    int map_files;
    /* One of enum retrograde_format. Default RETROGRADE_ANY_FORMAT. */
    int format;
};

/*
 * Writes the defaults, and the size into the first field: retrograde_default_options(&options,
 * sizeof options).
 *
 * RETROGRADE_BAD_ARGUMENT, if the library knows no structure of that size; it may be older than the
 * header.
 */
int retrograde_default_options(struct retrograde_options *options, size_t size);

/*
 * Finds the tables in count directories; where two have the same table, that of the first counts.
 * options may be NULL for the defaults. *tables is written only if all is well.
 *
 * Takes as long as listing the directories: names are read, no file is opened. A damaged table is
 * therefore an error of the probes that need it. Directories without tables are no error; see
 * retrograde_max_men.
 *
 * RETROGRADE_BAD_DIRECTORY, RETROGRADE_BAD_ARGUMENT.
 */
int retrograde_open(const char *const *directories, size_t count, const struct retrograde_options *options,
                    retrograde_tables **tables);

/*
 * Closes all files and frees all memory. No other thread may use the tables any more, and nobody
 * may afterwards. NULL is allowed and does nothing.
 */
void retrograde_free(retrograde_tables *tables);

/*
 * The largest number of men of any table there is; 0 without tables, and for NULL. An engine need
 * not ask about positions with more. Reads a number, so it may stand in the innermost loop.
 */
unsigned retrograde_max_men(const retrograde_tables *tables);

/*
 * Gets ready what a search will ask: opens the tables of results with up to max_men men, tells the
 * system that their files will be read, and decodes Syzygy tables as a whole as long as
 * preloaded_bytes has room, small ones first. To be called before a search: it takes some
 * milliseconds for each table of four men, up to two seconds for one of five.
 *
 * RETROGRADE_BAD_TABLE, RETROGRADE_BAD_ARGUMENT.
 */
int retrograde_prefetch_results(const retrograde_tables *tables, unsigned max_men);

/* ---- Positions ------------------------------------------------------------------------------- */

enum retrograde_color { RETROGRADE_WHITE = 0, RETROGRADE_BLACK = 1 };

/* Castling rights, to be added. */
enum retrograde_castling {
    RETROGRADE_WHITE_KING_SIDE = 1,
    RETROGRADE_WHITE_QUEEN_SIDE = 2,
    RETROGRADE_BLACK_KING_SIDE = 4,
    RETROGRADE_BLACK_QUEEN_SIDE = 8
};

/*
 * A position as an engine has it: who stands where, by colour and by kind. Each man is in one of
 * the first two and in one of the other six. Set all of it, or start from zeroes.
 */
struct retrograde_position {
    uint64_t white, black;
    uint64_t kings, queens, rooks, bishops, knights, pawns;
    /* Plies since the last capture or pawn move. Ranks of moves depend on it, and
     * retrograde_probe_wdl wants it to be 0. */
    uint16_t halfmove_clock;
    /* RETROGRADE_WHITE or RETROGRADE_BLACK. */
    uint8_t turn;
    /* The square behind a pawn that just made a double step, whether or not it can be captured
     * there; 0 if there is none. */
    uint8_t en_passant;
    /* Of enum retrograde_castling; 0 if nobody may castle, as in all positions that tables know. */
    uint8_t castling;
};

/*
 * Reads a FEN of six fields, or of four without the two numbers, and checks that it is a legal
 * position. en_passant becomes 0 if no pawn stands ready to capture there. About a microsecond.
 *
 * RETROGRADE_BAD_POSITION, RETROGRADE_BAD_ARGUMENT.
 */
int retrograde_read_fen(const char *fen, struct retrograde_position *position);

/* ---- Values ---------------------------------------------------------------------------------- */

/* Who wins, with the fifty-move rule and its clock at zero. */
enum retrograde_wdl {
    RETROGRADE_LOSS = -2,
    /* Lost, but saved by the fifty-move rule. */
    RETROGRADE_BLESSED_LOSS = -1,
    RETROGRADE_DRAW = 0,
    /* Won, but for the fifty-move rule. */
    RETROGRADE_CURSED_WIN = 1,
    RETROGRADE_WIN = 2
};

/* Stands for a distance that there is none of: nobody mates in a drawn position, or no table knows.
 * No distance is this. */
#define RETROGRADE_NO_VALUE (-2147483647 - 1)

/*
 * All probes check first that the men are a legal position and look at captures and promotions,
 * each a probe of fewer men. The first probe of a table opens its file. The first of a block, some
 * thousands of positions, decodes it: microseconds. Then it costs one to a few tenths of a
 * microsecond for WDL, and allocates nothing; only a small Syzygy table that was asked some
 * thousand times is decoded as a whole by one of the probes, in some milliseconds, unless it was
 * prefetched or preloaded_bytes is 0. DTZ and DTM need WDL as well and take longer, some 10 to 30
 * probes where a table has one side to move only.
 *
 * RETROGRADE_NO_TABLE, RETROGRADE_CASTLING, RETROGRADE_BAD_POSITION, RETROGRADE_BAD_TABLE,
 * RETROGRADE_BAD_ARGUMENT.
 */

/*
 * Who wins, one of enum retrograde_wdl, of a position whose halfmove_clock is 0. This is what to
 * ask inside a search, right after a capture or pawn move. With a clock that has advanced a win may
 * be too far away: RETROGRADE_CLOCK.
 */
int retrograde_probe_wdl(const retrograde_tables *tables, const struct retrograde_position *position, int *wdl);

/* Who would win if a capture or pawn move had led to the position: its halfmove_clock counts as
 * 0. */
int retrograde_probe_wdl_after_zeroing(const retrograde_tables *tables, const struct retrograde_position *position, int *wdl);

/*
 * Plies to the next capture or pawn move that keeps the result, or to mate, with the clock at zero:
 * 1 to 100 for a win, 101 and more for a cursed win, 0 for a draw, negative for a loss; a mated
 * position is -1. Exact with our own tables. Syzygy tables may have rounded it, and then the
 * distance may be one ply more; see retrograde_probe_dtz_range.
 */
int retrograde_probe_dtz(const retrograde_tables *tables, const struct retrograde_position *position, int *dtz);

/* The same and the distance farthest from zero that it may be. Both are the same where it is known
 * exactly. */
int retrograde_probe_dtz_range(const retrograde_tables *tables, const struct retrograde_position *position, int *shortest,
                               int *longest);

/*
 * Plies to mate as if there were no fifty-move rule: odd and positive for a win, even and not
 * positive for a loss, 0 when mated, RETROGRADE_NO_VALUE for a draw. Needs .dtm tables of our own.
 */
int retrograde_probe_dtm(const retrograde_tables *tables, const struct retrograde_position *position, int *dtm);

/* ---- Moves ----------------------------------------------------------------------------------- */

/* No position of at most seven men has as many legal moves as this. */
#define RETROGRADE_MAX_MOVES 256

/* What a move does, to be added. */
enum retrograde_move_flag {
    /* A capture or a pawn move: the clock goes to zero. */
    RETROGRADE_ZEROING = 1,
    RETROGRADE_CHECKMATE = 2,
    RETROGRADE_STALEMATE = 4,
    /* Neither side has enough left to mate. */
    RETROGRADE_INSUFFICIENT_MATERIAL = 8
};

/* A legal move and what is known of the position after it. */
struct retrograde_ranked_move {
    /* As UCI writes it, "e7e8q". */
    char uci[8];
    /* Squares. */
    uint8_t from, to;
    /* 'q', 'r', 'b', 'n', or 0 if the move is no promotion. */
    char promotion;
    /* Of enum retrograde_move_flag. */
    uint8_t flags;
    /* Higher is better for the player of the move; see retrograde_rank_root_moves. */
    int32_t rank;
    /* For display, in hundredths of a pawn for the player of the move: 31744 for a win, 1 to 49 for
     * a cursed win. */
    int32_t score;
    /*
     * Values of the side to move AFTER the move, with the clock at zero: the best move of a won
     * position has wdl -2. dtz or dtm is RETROGRADE_NO_VALUE where no table knows it; dtm also
     * where the game is drawn.
     */
    int32_t wdl, dtz, dtm;
};

/* How moves are ranked, to be added. */
enum retrograde_rank_flag {
    /* A position has been repeated since the last capture or pawn move: rank wins by distance, so
     * that there is progress. */
    RETROGRADE_HAS_REPEATED = 1,
    /* There is no fifty-move rule: cursed wins score as wins. */
    RETROGRADE_NO_FIFTY_MOVE_RULE = 2,
    /* Among moves that surely win or lose: the shortest way to mate first, or the longest; needs
     * .dtm tables. */
    RETROGRADE_BY_MATE = 4
};

/*
 * All legal moves, best first, ranked under the fifty-move rule with the halfmove_clock of the
 * position. flags are of enum retrograde_rank_flag, or 0. The first capacity moves are written;
 * *count becomes the number of legal moves, which may be more. 0 of them: mate or stalemate.
 *
 * Ranks are those of Fathom's and Stockfish's root probes: 1000 wins for certain; 900 to 999 wins,
 * if the way is not a ply longer than a rounded table says, or by the shortest way only after a
 * repetition; 1 to 899 would win but for the fifty-move rule; 0 draws; -1 to -899 would lose but
 * for that rule; to -1000 loses. Where DTZ tables are missing ranks follow from results alone:
 * 1000, 899, 0, -899, -1000, the clock left aside. An engine searches the moves that have the rank
 * of the first one.
 *
 * For the root of a search, not inside it: some ten microseconds to a millisecond.
 *
 * RETROGRADE_NO_TABLE if the result after a move is not known; otherwise as for probes.
 */
int retrograde_rank_root_moves(const retrograde_tables *tables, const struct retrograde_position *position, unsigned flags,
                          struct retrograde_ranked_move *moves, size_t capacity, size_t *count);

/* One move of a line. */
struct retrograde_line_move {
    /* As UCI writes it, "e7e8q". */
    char uci[8];
    /* In standard algebraic notation, "e8=Q+". */
    char san[12];
};

/* Why a line goes no further. */
enum retrograde_line_end {
    /* The side to move is mated. */
    RETROGRADE_LINE_CHECKMATE = 0,
    /* The last position is drawn. */
    RETROGRADE_LINE_DRAW = 1,
    /* There is no room for more moves. */
    RETROGRADE_LINE_TOO_LONG = 2,
    /* A table is missing on the way. */
    RETROGRADE_LINE_UNKNOWN = 3
};

/*
 * Best play of both sides, at most capacity moves: the shortest mate against the longest defence
 * with .dtm tables, among moves that keep the result as the clock stands; otherwise from one
 * capture or pawn move to the next. *count becomes the number of moves written, *end one of enum
 * retrograde_line_end; end may be NULL. A drawn position has no moves to show. Some tens of
 * microseconds a move.
 *
 * Errors as for probes, about the first move or a damaged table.
 */
int retrograde_line(const retrograde_tables *tables, const struct retrograde_position *position,
                    struct retrograde_line_move *moves, size_t capacity, size_t *count, int *end);

/* ---- Xiangqi --------------------------------------------------------------------------------- */

/*
 * The other game has tables of its own, in the folder xiangqi of the same directory, and positions
 * are FENs of ten ranks. What is said above of errors, threads, pointers and files holds.
 *
 *     retrograde_xiangqi_tables *tables;
 *     struct retrograde_xiangqi_value value;
 *     if (retrograde_xiangqi_open("tables", RETROGRADE_PERPETUAL_CHECK, NULL, &tables) == RETROGRADE_OK
 *         && retrograde_xiangqi_probe(tables, "9/9/4k4/9/9/9/9/9/3K5/n2R5 b", &value) == RETROGRADE_OK)
 *         printf("%d\n", value.wdl);
 */

/* What an endless game is worth. Tables of different rules are different files and never mixed. */
enum retrograde_xiangqi_rules {
    /* A draw. */
    RETROGRADE_CYCLES_DRAW = 0,
    /* Whoever gives check for ever while the other does not loses; otherwise a draw. */
    RETROGRADE_PERPETUAL_CHECK = 1
};

/* The xiangqi tables of a directory. Made by retrograde_xiangqi_open, ended by
 * retrograde_xiangqi_free. */
typedef struct retrograde_xiangqi_tables retrograde_xiangqi_tables;

/* The value of a position, for the side to move. */
struct retrograde_xiangqi_value {
    /* RETROGRADE_WIN, RETROGRADE_DRAW or RETROGRADE_LOSS. Whoever has no legal move has lost. */
    int32_t wdl;
    /*
     * Plies to the next capture or mate that keeps the result: positive for a win, negative for a
     * loss, 0 for a draw and where there is no move. With a round it measures progress: plies until
     * the loser can only give check for ever, or leaves the round. RETROGRADE_NO_VALUE without such
     * a table.
     */
    int32_t dtc;
    /* Plies to mate or to a position without moves; RETROGRADE_NO_VALUE for a draw, and without
     * such a table. */
    int32_t dtm;
    /* How often the rule of perpetual check was applied before the position was decided; 0 where it
     * was not needed. */
    int32_t round;
};

/* No xiangqi position has as many legal moves as this. */
#define RETROGRADE_XIANGQI_MAX_MOVES 128

/* What a move does beside enum retrograde_move_flag, where RETROGRADE_ZEROING is a capture. */
enum retrograde_xiangqi_move_flag { RETROGRADE_CHECK = 16 };

/* A legal move. */
struct retrograde_xiangqi_move {
    /* "h2e2": files a to i, ranks 0 to 9. */
    char iccs[8];
    /* "C2=5". */
    char wxf[8];
    /* Of enum retrograde_move_flag and enum retrograde_xiangqi_move_flag, added. */
    int32_t flags;
    /* The value for the side to move AFTER the move. */
    struct retrograde_xiangqi_value value;
};

/*
 * Finds the tables of some rules. Of the options, which may be NULL for the defaults, cache_bytes
 * and map_files count. *tables is written only if all is well. Files are opened when they are
 * needed: a directory without tables is no error.
 *
 * RETROGRADE_BAD_DIRECTORY, RETROGRADE_BAD_ARGUMENT.
 */
int retrograde_xiangqi_open(const char *directory, int rules, const struct retrograde_options *options,
                            retrograde_xiangqi_tables **tables);

/* As retrograde_free. */
void retrograde_xiangqi_free(retrograde_xiangqi_tables *tables);

/*
 * What the tables say of a position. A few microseconds where a block has to be decoded, else about
 * one.
 *
 * RETROGRADE_NO_TABLE, RETROGRADE_BAD_POSITION, RETROGRADE_BAD_TABLE, RETROGRADE_BAD_ARGUMENT.
 */
int retrograde_xiangqi_probe(const retrograde_xiangqi_tables *tables, const char *fen,
                             struct retrograde_xiangqi_value *value);

/*
 * All legal moves with their values, the best first: of a won position the first one wins by being
 * played again and again. The first capacity moves are written; *count becomes the number of legal
 * moves, 0 where the game is over.
 *
 * Errors as for retrograde_xiangqi_probe, also if a table is missing that a capture leads to.
 */
int retrograde_xiangqi_moves(const retrograde_xiangqi_tables *tables, const char *fen,
                             struct retrograde_xiangqi_move *moves, size_t capacity, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
