/*
 * tbprobe.h - endgame tablebases by the names of the library Fathom.
 *
 * A program that uses Fathom (https://github.com/jdart1/Fathom) can be built with this header
 * instead, and one that was built for libfathom.so.1 runs on this library: names, arguments,
 * numbers and layouts are the same. The text is ours. What is different behind it:
 *
 * - the directories may hold Syzygy tables, our own, or both;
 * - a table that is missing, damaged or cannot be read is a failed probe; nothing is printed and
 *   nothing exits;
 * - all functions may be called from any number of threads, tb_init and tb_free too. A set of
 *   tables is closed when the last thread that probed it has probed again or ended;
 * - where all that is left is a draw, tb_probe_root suggests any move that draws, not the one that
 *   Fathom would;
 * - distances from tables of our own are exact, where those of Syzygy tables may be a ply short.
 *
 * Squares are numbers, a1 = 0, h1 = 7, h8 = 63, and bit n of a bitboard is square n. New programs
 * have an easier time with retrograde.h, which tells what went wrong and keeps no global state.
 */

#ifndef TBPROBE_H
#define TBPROBE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Tables ---------------------------------------------------------------------------------- */

/* The most men, kings included, of any table of results; 0 before tb_init, after tb_free, and
 * without tables. */
extern unsigned TB_LARGEST;

/*
 * Finds the tables in the directories of path, which are separated by colons, on Windows by
 * semicolons. They take the place of those found before. An empty path, or "<empty>", leaves none.
 * Directories that are not there are passed over. False only for NULL. Takes as long as listing the
 * directories.
 */
bool tb_init(const char *path);

/* The same by an older name. */
bool tb_init_impl(const char *path);

/* Closes all tables. */
void tb_free(void);

/* ---- Numbers --------------------------------------------------------------------------------- */

/* Values, for the side to move. */
#define TB_LOSS 0
#define TB_BLESSED_LOSS 1 /* lost but for the fifty-move rule */
#define TB_DRAW 2
#define TB_CURSED_WIN 3 /* won but for the fifty-move rule */
#define TB_WIN 4

/* What a pawn becomes. */
#define TB_PROMOTES_NONE 0
#define TB_PROMOTES_QUEEN 1
#define TB_PROMOTES_ROOK 2
#define TB_PROMOTES_BISHOP 3
#define TB_PROMOTES_KNIGHT 4

/* Castling rights. With any of them a probe fails. */
#define TB_CASTLING_K 1
#define TB_CASTLING_Q 2
#define TB_CASTLING_k 4
#define TB_CASTLING_q 8

/* Sizes of arrays. */
#define TB_MAX_MOVES 193
#define TB_MAX_CAPTURES 64
#define TB_MAX_PLY 256

/* A result of tb_probe_root: from the lowest bit value (4 bits), to (6), from (6), promotion (3),
 * en passant (1), distance (12). */
#define TB_RESULT_WDL_SHIFT 0
#define TB_RESULT_TO_SHIFT 4
#define TB_RESULT_FROM_SHIFT 10
#define TB_RESULT_PROMOTES_SHIFT 16
#define TB_RESULT_EP_SHIFT 19
#define TB_RESULT_DTZ_SHIFT 20
#define TB_RESULT_WDL_MASK 0x0000000Fu
#define TB_RESULT_TO_MASK 0x000003F0u
#define TB_RESULT_FROM_MASK 0x0000FC00u
#define TB_RESULT_PROMOTES_MASK 0x00070000u
#define TB_RESULT_EP_MASK 0x00080000u
#define TB_RESULT_DTZ_MASK 0xFFF00000u

#define TB_GET_FIELD_(result, field) (((result) & TB_RESULT_##field##_MASK) >> TB_RESULT_##field##_SHIFT)
#define TB_SET_FIELD_(result, field, value)  \
    (((result) & ~TB_RESULT_##field##_MASK)  \
     | (((value) << TB_RESULT_##field##_SHIFT) & TB_RESULT_##field##_MASK))

#define TB_GET_WDL(result) TB_GET_FIELD_(result, WDL)
#define TB_GET_TO(result) TB_GET_FIELD_(result, TO)
#define TB_GET_FROM(result) TB_GET_FIELD_(result, FROM)
#define TB_GET_PROMOTES(result) TB_GET_FIELD_(result, PROMOTES)
#define TB_GET_EP(result) TB_GET_FIELD_(result, EP)
#define TB_GET_DTZ(result) TB_GET_FIELD_(result, DTZ)
#define TB_SET_WDL(result, value) TB_SET_FIELD_(result, WDL, value)
#define TB_SET_TO(result, value) TB_SET_FIELD_(result, TO, value)
#define TB_SET_FROM(result, value) TB_SET_FIELD_(result, FROM, value)
#define TB_SET_PROMOTES(result, value) TB_SET_FIELD_(result, PROMOTES, value)
#define TB_SET_EP(result, value) TB_SET_FIELD_(result, EP, value)
#define TB_SET_DTZ(result, value) TB_SET_FIELD_(result, DTZ, value)

/* Results that are no move. */
#define TB_RESULT_CHECKMATE TB_SET_WDL(0u, TB_WIN)
#define TB_RESULT_STALEMATE TB_SET_WDL(0u, TB_DRAW)
#define TB_RESULT_FAILED 0xFFFFFFFFu

/* ---- Probes ---------------------------------------------------------------------------------- */

/* What the two functions after them call. */
unsigned tb_probe_wdl_impl(uint64_t white, uint64_t black, uint64_t kings, uint64_t queens, uint64_t rooks,
                           uint64_t bishops, uint64_t knights, uint64_t pawns, unsigned ep, bool turn);
unsigned tb_probe_root_impl(uint64_t white, uint64_t black, uint64_t kings, uint64_t queens, uint64_t rooks,
                            uint64_t bishops, uint64_t knights, uint64_t pawns, unsigned rule50, unsigned ep, bool turn,
                            unsigned *results);

/*
 * Who wins: TB_LOSS to TB_WIN, or TB_RESULT_FAILED if a table is missing or the position is not
 * legal. For use in a search, right after a capture or pawn move: it fails if the clock, rule50, is
 * not 0, and if anybody may castle. ep is the square behind a pawn that just made a double step, or
 * 0; turn is true for White.
 */
static inline unsigned tb_probe_wdl(uint64_t white, uint64_t black, uint64_t kings, uint64_t queens, uint64_t rooks,
                                    uint64_t bishops, uint64_t knights, uint64_t pawns, unsigned rule50,
                                    unsigned castling, unsigned ep, bool turn)
{
    if (castling != 0 || rule50 != 0)
        return TB_RESULT_FAILED;
    return tb_probe_wdl_impl(white, black, kings, queens, rooks, bishops, knights, pawns, ep, turn);
}

/*
 * A move that keeps the value of the position, with that value and the distance to the next capture
 * or pawn move: a result, TB_RESULT_CHECKMATE, TB_RESULT_STALEMATE or TB_RESULT_FAILED. If results
 * is not NULL it has room for TB_MAX_MOVES numbers and gets a result for each legal move, then
 * TB_RESULT_FAILED. Values count the clock, rule50. For the root of a search.
 */
static inline unsigned tb_probe_root(uint64_t white, uint64_t black, uint64_t kings, uint64_t queens, uint64_t rooks,
                                     uint64_t bishops, uint64_t knights, uint64_t pawns, unsigned rule50,
                                     unsigned castling, unsigned ep, bool turn, unsigned *results)
{
    if (castling != 0)
        return TB_RESULT_FAILED;
    return tb_probe_root_impl(white, black, kings, queens, rooks, bishops, knights, pawns, rule50, ep, turn, results);
}

/* A move: from the lowest bit to (6 bits), from (6), promotion (3). */
typedef uint16_t TbMove;

#define TB_MOVE_TO(move) ((move) & 63)
#define TB_MOVE_FROM(move) (((move) >> 6) & 63)
#define TB_MOVE_PROMOTES(move) (((move) >> 12) & 7)

struct TbRootMove {
    TbMove move;
    /* For the engine: nothing is written here, */
    TbMove pv[TB_MAX_PLY];
    /* and this becomes 0. */
    unsigned pvSize;
    /* For display, and for the choice of a move: higher is better. 1000 wins for certain, 900 and
     * more wins, 0 draws. */
    int32_t tbScore, tbRank;
};

struct TbRootMoves {
    unsigned size;
    struct TbRootMove moves[TB_MAX_MOVES];
};

/*
 * Ranks all legal moves by distance to the next capture or pawn move. hasRepeated: a position has
 * been repeated since the last of these; useRule50: the fifty-move rule counts. 0 if a table is
 * missing; then there is the next function.
 */
int tb_probe_root_dtz(uint64_t white, uint64_t black, uint64_t kings, uint64_t queens, uint64_t rooks, uint64_t bishops,
                      uint64_t knights, uint64_t pawns, unsigned rule50, unsigned castling, unsigned ep, bool turn,
                      bool hasRepeated, bool useRule50, struct TbRootMoves *results);

/* Ranks all legal moves by their result alone. 0 if a table is missing. */
int tb_probe_root_wdl(uint64_t white, uint64_t black, uint64_t kings, uint64_t queens, uint64_t rooks, uint64_t bishops,
                      uint64_t knights, uint64_t pawns, unsigned rule50, unsigned castling, unsigned ep, bool turn,
                      bool useRule50, struct TbRootMoves *results);

/* ---- Helpers --------------------------------------------------------------------------------- */

#ifndef TB_NO_HELPER_API

/* The number of squares in a set, its first square, the set without it. */
unsigned tb_pop_count(uint64_t set);
unsigned tb_lsb(uint64_t set);
uint64_t tb_pop_lsb(uint64_t set);

/* The squares that a man attacks. A pawn is white if color is true, and may stand on any rank. */
uint64_t tb_king_attacks(unsigned square);
uint64_t tb_queen_attacks(unsigned square, uint64_t occupied);
uint64_t tb_rook_attacks(unsigned square, uint64_t occupied);
uint64_t tb_bishop_attacks(unsigned square, uint64_t occupied);
uint64_t tb_knight_attacks(unsigned square);
uint64_t tb_pawn_attacks(unsigned square, bool color);

#endif

#ifdef __cplusplus
}
#endif

#endif
