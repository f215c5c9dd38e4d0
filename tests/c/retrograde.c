/*
 * Asks the C library what only C can ask it.
 *
 *     ./retrograde TABLES DAMAGED VERSION
 *
 * TABLES has all tables of three men and no others, and those of xiangqi that KRvKN needs, under
 * both sets of rules; DAMAGED a KQvK.wdl and a KRvK.wdl of xiangqi that are none.
 */

#include <pthread.h>
#include <stdlib.h>

#include "check.h"
#include "retrograde.h"

#define ROOK_ENDING "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"

static struct retrograde_position position_of(const char *fen)
{
    struct retrograde_position position;
    memset(&position, 0, sizeof position);
    CHECK(retrograde_read_fen(fen, &position) == RETROGRADE_OK);
    return position;
}

/* Whether the last error has a word and is one line. */
static int last_error_has(const char *word)
{
    const char *text = retrograde_last_error();
    return strstr(text, word) != NULL && strchr(text, '\n') == NULL;
}

static void check_values(const retrograde_tables *tables)
{
    static const struct {
        const char *fen;
        int wdl, dtz, dtm;
    } values[] = {
        {ROOK_ENDING, RETROGRADE_WIN, 31, 31},
        {"8/8/8/8/8/1k6/1R6/7K b - - 0 1", RETROGRADE_DRAW, 0, RETROGRADE_NO_VALUE},
        {"7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", RETROGRADE_LOSS, -1, 0},
        {"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", RETROGRADE_DRAW, 0, RETROGRADE_NO_VALUE},
        {"7K/5q2/6k1/8/8/8/8/8 b - - 99 90", RETROGRADE_WIN, 1, 1},
        {"k7/P7/K7/8/8/8/8/8 w - - 0 1", RETROGRADE_DRAW, 0, RETROGRADE_NO_VALUE},
        {"8/8/8/4k3/8/8/4K3/8 w - - 0 1", RETROGRADE_DRAW, 0, RETROGRADE_NO_VALUE},
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct retrograde_position position = position_of(values[i].fen);
        int wdl = 9, dtz = 9, dtm = 9, shortest = 9, longest = 9;
        CHECK(retrograde_probe_wdl_after_zeroing(tables, &position, &wdl) == RETROGRADE_OK && wdl == values[i].wdl);
        wdl = 9;
        if (position.halfmove_clock != 0) {
            CHECK(retrograde_probe_wdl(tables, &position, &wdl) == RETROGRADE_CLOCK && wdl == 9 && last_error_has("99"));
            position.halfmove_clock = 0;
        }
        CHECK(retrograde_probe_wdl(tables, &position, &wdl) == RETROGRADE_OK);
        CHECK(retrograde_probe_dtz(tables, &position, &dtz) == RETROGRADE_OK);
        CHECK(retrograde_probe_dtm(tables, &position, &dtm) == RETROGRADE_OK);
        CHECK(retrograde_probe_dtz_range(tables, &position, &shortest, &longest) == RETROGRADE_OK);
        CHECK(wdl == values[i].wdl);
        CHECK(dtz == values[i].dtz && shortest == dtz && longest == dtz);
        CHECK(dtm == values[i].dtm);
    }
}

static void check_bitboards(const retrograde_tables *tables)
{
    struct retrograde_position fen = position_of(ROOK_ENDING), position = {0};
    int wdl = 9;
    position.white = 1u << 0 | 1u << 9;
    position.black = 1u << 18;
    position.kings = 1u << 0 | 1u << 18;
    position.rooks = 1u << 9;
    CHECK(position.white == fen.white && position.kings == fen.kings && position.rooks == fen.rooks);
    CHECK(fen.turn == RETROGRADE_WHITE && fen.castling == 0 && fen.en_passant == 0 && fen.halfmove_clock == 0);
    CHECK(retrograde_probe_wdl(tables, &position, &wdl) == RETROGRADE_OK && wdl == RETROGRADE_WIN);
    position.turn = RETROGRADE_BLACK;
    CHECK(retrograde_probe_wdl(tables, &position, &wdl) == RETROGRADE_OK && wdl == RETROGRADE_LOSS);

    fen = position_of("4k3/8/8/8/Pp6/8/8/R3K3 b Q a3 17 40");
    CHECK(fen.turn == RETROGRADE_BLACK && fen.en_passant == 16 && fen.halfmove_clock == 17);
    CHECK(fen.castling == RETROGRADE_WHITE_QUEEN_SIDE);

    /* Men that are no position. */
    position.turn = 2;
    CHECK(retrograde_probe_wdl(tables, &position, &wdl) == RETROGRADE_BAD_POSITION && last_error_has("turn"));
    position.turn = RETROGRADE_WHITE;
    position.queens = position.rooks;
    CHECK(retrograde_probe_wdl(tables, &position, &wdl) == RETROGRADE_BAD_POSITION && last_error_has("b2"));
    position.queens = 1u << 20;
    CHECK(retrograde_probe_wdl(tables, &position, &wdl) == RETROGRADE_BAD_POSITION && last_error_has("of no kind"));
    position.queens = 0;
    position.black |= position.white;
    CHECK(retrograde_probe_wdl(tables, &position, &wdl) == RETROGRADE_BAD_POSITION && last_error_has("both"));
    position.black = 1u << 18;
    position.en_passant = 64;
    CHECK(retrograde_probe_wdl(tables, &position, &wdl) == RETROGRADE_BAD_POSITION && last_error_has("en_passant"));
    position.en_passant = 44;
    CHECK(retrograde_probe_wdl(tables, &position, &wdl) == RETROGRADE_BAD_POSITION && last_error_has("e6"));
    position.en_passant = 0;
    position.castling = 16;
    CHECK(retrograde_probe_wdl(tables, &position, &wdl) == RETROGRADE_BAD_POSITION && last_error_has("castling"));
    CHECK(wdl == RETROGRADE_LOSS);
}

static void check_errors(const retrograde_tables *tables, const char *directory, const char *damaged)
{
    struct retrograde_position position;
    struct retrograde_options options;
    struct retrograde_ranked_move moves[1];
    retrograde_tables *others = NULL;
    size_t count = 7;
    int number = 9;

    position = position_of("8/8/8/3r4/8/2k5/1Q6/K7 b - - 0 1");
    CHECK(retrograde_probe_wdl(tables, &position, &number) == RETROGRADE_NO_TABLE);
    CHECK(last_error_has("KQvKR") && last_error_has("retrograde generate KQvKR"));
    CHECK(retrograde_rank_root_moves(tables, &position, 0, moves, 1, &count) == RETROGRADE_NO_TABLE);
    position = position_of("4k3/8/8/8/8/8/8/R3K3 w Q - 0 1");
    CHECK(retrograde_probe_dtm(tables, &position, &number) == RETROGRADE_CASTLING && last_error_has("castle"));
    position = position_of("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1");
    CHECK(retrograde_probe_dtz(tables, &position, &number) == RETROGRADE_NO_TABLE && last_error_has("32 men"));
    CHECK(retrograde_line(tables, &position, NULL, 0, &count, NULL) == RETROGRADE_NO_TABLE);
    CHECK(retrograde_read_fen("8/8/8/8/8/8/8 w - - 0 1", &position) == RETROGRADE_BAD_POSITION);
    CHECK(last_error_has("7 ranks"));
    CHECK(retrograde_read_fen("8/8/8/8/8/8/8/8 w - - 0 1", &position) == RETROGRADE_BAD_POSITION);
    CHECK(last_error_has("0 kings"));
    CHECK(retrograde_read_fen("\xff\xfe", &position) == RETROGRADE_BAD_POSITION);
    CHECK(retrograde_read_fen(NULL, &position) == RETROGRADE_BAD_ARGUMENT);

    position = position_of(ROOK_ENDING);
    CHECK(retrograde_probe_wdl(NULL, &position, &number) == RETROGRADE_BAD_ARGUMENT && last_error_has("NULL"));
    CHECK(retrograde_probe_wdl(tables, NULL, &number) == RETROGRADE_BAD_ARGUMENT);
    CHECK(retrograde_probe_wdl(tables, &position, NULL) == RETROGRADE_BAD_ARGUMENT);
    CHECK(retrograde_probe_wdl_after_zeroing(tables, &position, NULL) == RETROGRADE_BAD_ARGUMENT);
    CHECK(retrograde_probe_dtz_range(tables, &position, &number, NULL) == RETROGRADE_BAD_ARGUMENT);
    CHECK(retrograde_rank_root_moves(tables, &position, 0, NULL, 1, &count) == RETROGRADE_BAD_ARGUMENT);
    CHECK(retrograde_rank_root_moves(tables, &position, 0, moves, 1, NULL) == RETROGRADE_BAD_ARGUMENT);
    CHECK(retrograde_rank_root_moves(tables, &position, 8, moves, 1, &count) == RETROGRADE_BAD_ARGUMENT);
    CHECK(last_error_has("flags"));

    CHECK(retrograde_open(&directory, 0, NULL, &others) == RETROGRADE_BAD_ARGUMENT);
    CHECK(retrograde_open(NULL, 1, NULL, &others) == RETROGRADE_BAD_ARGUMENT);
    CHECK(retrograde_open(&directory, 1, NULL, NULL) == RETROGRADE_BAD_ARGUMENT);
    const char *nowhere[] = {directory, "nowhere at all"};
    CHECK(retrograde_open(nowhere, 2, NULL, &others) == RETROGRADE_BAD_DIRECTORY && last_error_has("nowhere at all"));
    nowhere[1] = NULL;
    CHECK(retrograde_open(nowhere, 2, NULL, &others) == RETROGRADE_BAD_ARGUMENT);
    CHECK(retrograde_default_options(&options, sizeof options) == RETROGRADE_OK);
    options.format = 3;
    CHECK(retrograde_open(&directory, 1, &options, &others) == RETROGRADE_BAD_ARGUMENT && last_error_has("format"));
    CHECK(number == 9 && count == 7 && others == NULL);

    CHECK(retrograde_open(&damaged, 1, NULL, &others) == RETROGRADE_OK);
    position = position_of("8/8/8/8/8/2k5/1Q6/K7 b - - 0 1");
    CHECK(retrograde_probe_wdl(others, &position, &number) == RETROGRADE_BAD_TABLE && last_error_has("KQvK.wdl"));
    retrograde_free(others);
}

/* Structures of other versions: shorter ones have the defaults of what they lack, other sizes are
 * errors. */
static void check_sizes(const char *directory)
{
    struct retrograde_options options = {0};
    retrograde_tables *tables = NULL;
    size_t shorter = offsetof(struct retrograde_options, preloaded_bytes);
    CHECK(retrograde_default_options(&options, shorter) == RETROGRADE_OK && options.size == shorter);
    CHECK(options.checkpoint_bytes == 4u << 20 && options.preloaded_bytes == 0 && options.map_files == 0);
    /* These would be an error if they were read. */
    options.preloaded_bytes = (size_t)-1;
    options.format = 77;
    CHECK(retrograde_open(&directory, 1, &options, &tables) == RETROGRADE_OK);
    check_values(tables);
    retrograde_free(tables);
    tables = NULL;
    static const size_t sizes[] = {0, 1, sizeof(size_t), sizeof options - 1, sizeof options + 8, (size_t)-1};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        retrograde_xiangqi_tables *others = NULL;
        options.size = sizes[i];
        CHECK(retrograde_open(&directory, 1, &options, &tables) == RETROGRADE_BAD_ARGUMENT && last_error_has("size"));
        CHECK(retrograde_xiangqi_open(directory, RETROGRADE_CYCLES_DRAW, &options, &others) == RETROGRADE_BAD_ARGUMENT);
        CHECK(retrograde_default_options(&options, sizes[i]) == RETROGRADE_BAD_ARGUMENT && options.size == sizes[i]);
        CHECK(tables == NULL && others == NULL);
    }
    CHECK(retrograde_default_options(NULL, sizeof options) == RETROGRADE_BAD_ARGUMENT);
}

static void check_options(const char *directory)
{
    struct retrograde_options options;
    retrograde_tables *tables = NULL;
    CHECK(retrograde_default_options(&options, sizeof options) == RETROGRADE_OK && options.size == sizeof options);
    CHECK(options.cache_bytes == 64u << 20 && options.result_bytes == 1u << 20);
    CHECK(options.map_files == 1 && options.format == RETROGRADE_ANY_FORMAT);
    options.format = RETROGRADE_SYZYGY;
    CHECK(retrograde_open(&directory, 1, &options, &tables) == RETROGRADE_OK);
    CHECK(retrograde_max_men(tables) == 0);
    retrograde_free(tables);
    options.format = RETROGRADE_NATIVE;
    options.cache_bytes = 0;
    CHECK(options.checkpoint_bytes == 4u << 20 && options.preloaded_bytes == 64u << 20);
    options.result_bytes = 0;
    options.map_files = 0;
    CHECK(retrograde_open(&directory, 1, &options, &tables) == RETROGRADE_OK);
    CHECK(retrograde_max_men(tables) == 3);
    CHECK(retrograde_prefetch_results(tables, 4) == RETROGRADE_OK);
    CHECK(retrograde_prefetch_results(NULL, 4) == RETROGRADE_BAD_ARGUMENT);
    check_values(tables);
    retrograde_free(tables);
    options.cache_bytes = (size_t)-1;
    tables = NULL;
    CHECK(retrograde_open(&directory, 1, &options, &tables) == RETROGRADE_BAD_ARGUMENT);
    CHECK(tables == NULL && strstr(retrograde_last_error(), "cache_bytes") != NULL);
    check_sizes(directory);
    retrograde_free(NULL);
    CHECK(retrograde_max_men(NULL) == 0);
}

static void check_root_moves(const retrograde_tables *tables)
{
    struct retrograde_ranked_move moves[RETROGRADE_MAX_MOVES], two[2];
    struct retrograde_position position = position_of(ROOK_ENDING);
    size_t count = 0;
    /* 31 plies to mate: time enough after 68 plies, just enough after 69, too little from 70 on. */
    static const int clocks[][3] = {
        {0, 1000, 31744}, {68, 1000, 31744}, {69, 900, 31744}, {70, 899, 49}, {99, 870, 35}, {100, 869, 34}, {101, 868, 34}};
    for (size_t i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
        position.halfmove_clock = (uint16_t)clocks[i][0];
        CHECK(retrograde_rank_root_moves(tables, &position, 0, moves, RETROGRADE_MAX_MOVES, &count) == RETROGRADE_OK);
        CHECK(count == 16);
        CHECK(strcmp(moves[0].uci, "a1b1") == 0 && moves[0].from == 0 && moves[0].to == 1 && moves[0].promotion == 0);
        CHECK(moves[0].rank == clocks[i][1] && moves[0].score == clocks[i][2]);
        CHECK(moves[0].wdl == RETROGRADE_LOSS && moves[0].dtz == -30 && moves[0].dtm == -30 && moves[0].flags == 0);
        CHECK(moves[15].rank == 0 && moves[15].score == 0 && moves[15].wdl == RETROGRADE_DRAW);
        CHECK(moves[15].dtz == 0 && moves[15].dtm == RETROGRADE_NO_VALUE);
        for (size_t j = 1; j < count; j++)
            CHECK(moves[j - 1].rank >= moves[j].rank);
    }
    position.halfmove_clock = 0;
    CHECK(retrograde_rank_root_moves(tables, &position, RETROGRADE_HAS_REPEATED, two, 2, &count) == RETROGRADE_OK);
    CHECK(count == 16 && two[0].rank == 969 && two[0].score == 31744);
    CHECK(retrograde_rank_root_moves(tables, &position, RETROGRADE_BY_MATE, two, 2, &count) == RETROGRADE_OK);
    CHECK(two[0].rank == 1000 && two[0].dtm == -30);
    position.halfmove_clock = 90;
    CHECK(retrograde_rank_root_moves(tables, &position, RETROGRADE_NO_FIFTY_MOVE_RULE, two, 2, &count) == RETROGRADE_OK);
    CHECK(two[0].rank == 879 && two[0].score == 31744);
    CHECK(retrograde_rank_root_moves(tables, &position, 0, NULL, 0, &count) == RETROGRADE_OK && count == 16);

    position = position_of("8/k1P5/2K5/8/8/8/8/8 w - - 0 1");
    CHECK(retrograde_rank_root_moves(tables, &position, 0, moves, RETROGRADE_MAX_MOVES, &count) == RETROGRADE_OK);
    CHECK(moves[0].flags & RETROGRADE_ZEROING && moves[0].promotion != 0 && moves[0].uci[4] == moves[0].promotion);
    position = position_of("7k/8/6K1/8/8/8/8/5Q2 w - - 0 1");
    CHECK(retrograde_rank_root_moves(tables, &position, 0, moves, RETROGRADE_MAX_MOVES, &count) == RETROGRADE_OK);
    CHECK(moves[0].flags == RETROGRADE_CHECKMATE && strcmp(moves[0].uci, "f1f8") == 0 && moves[0].dtz == -1);
    CHECK(moves[count - 1].flags == RETROGRADE_STALEMATE && moves[count - 1].rank == 0);
    position = position_of("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1");
    CHECK(retrograde_rank_root_moves(tables, &position, 0, moves, RETROGRADE_MAX_MOVES, &count) == RETROGRADE_OK);
    CHECK(count == 0);
}

static void check_line(const retrograde_tables *tables)
{
    struct retrograde_line_move moves[64];
    struct retrograde_position position = position_of(ROOK_ENDING);
    size_t count = 0;
    int end = 9;
    CHECK(retrograde_line(tables, &position, moves, 64, &count, &end) == RETROGRADE_OK);
    CHECK(count == 31 && end == RETROGRADE_LINE_CHECKMATE);
    CHECK(strcmp(moves[0].uci, "a1b1") == 0 && strcmp(moves[0].san, "Kb1") == 0);
    CHECK(moves[30].san[strlen(moves[30].san) - 1] == '#');
    CHECK(retrograde_line(tables, &position, moves, 3, &count, &end) == RETROGRADE_OK);
    CHECK(count == 3 && end == RETROGRADE_LINE_TOO_LONG);
    position = position_of("8/8/8/8/8/1k6/1R6/7K b - - 0 1");
    CHECK(retrograde_line(tables, &position, moves, 64, &count, NULL) == RETROGRADE_OK && count == 0);
}

/* Asks for all that KRvK has, and makes an error that no other thread may see. */
static void *ask(void *argument)
{
    const retrograde_tables *tables = argument;
    long won = 0;
    CHECK(strcmp(retrograde_last_error(), "") == 0);
    for (unsigned rook = 0; rook < 64; rook++) {
        for (unsigned king = 0; king < 64; king++) {
            struct retrograde_position position = {0};
            int wdl;
            if (king == 27 || rook == 27 || king == rook)
                continue;
            position.white = 1ull << 27 | 1ull << rook;
            position.black = 1ull << king;
            position.kings = 1ull << 27 | 1ull << king;
            position.rooks = 1ull << rook;
            if (retrograde_probe_wdl(tables, &position, &wdl) == RETROGRADE_OK)
                won += wdl == RETROGRADE_WIN;
            else
                CHECK(last_error_has("king"));
        }
    }
    return (void *)won;
}

static void check_threads(retrograde_tables *tables)
{
    pthread_t threads[4];
    long won[4];
    const char *before = retrograde_last_error();
    char text[256];
    strncpy(text, before, sizeof text - 1);
    text[sizeof text - 1] = 0;
    for (int i = 0; i < 4; i++)
        CHECK(pthread_create(&threads[i], NULL, ask, tables) == 0);
    for (int i = 0; i < 4; i++) {
        void *result = NULL;
        CHECK(pthread_join(threads[i], &result) == 0);
        won[i] = (long)result;
        CHECK(won[i] == won[0] && won[i] > 2000);
    }
    CHECK(strncmp(retrograde_last_error(), text, sizeof text - 1) == 0);
}

static void check_xiangqi(const char *directory, const char *damaged)
{
    static const char check_for_ever[] = "9/9/4k4/9/9/9/9/9/3K5/n2R5 b";
    static const char mate_in_one[] = "3k5/9/9/9/9/9/9/9/9/R3K4 w - - 0 1";
    retrograde_xiangqi_tables *draws = NULL, *losses = NULL, *none = NULL;
    struct retrograde_xiangqi_move moves[RETROGRADE_XIANGQI_MAX_MOVES];
    struct retrograde_xiangqi_value value = {9, 9, 9, 9};
    struct retrograde_options options;
    size_t count = 7;
    CHECK(retrograde_xiangqi_open(directory, RETROGRADE_PERPETUAL_CHECK, NULL, &losses) == RETROGRADE_OK);
    CHECK(retrograde_default_options(&options, sizeof options) == RETROGRADE_OK);
    options.cache_bytes = 0;
    options.map_files = 0;
    CHECK(retrograde_xiangqi_open(directory, RETROGRADE_CYCLES_DRAW, &options, &draws) == RETROGRADE_OK);
    if (draws == NULL || losses == NULL) {
        fprintf(stderr, "%s\n", retrograde_last_error());
        return;
    }
    CHECK(retrograde_xiangqi_probe(draws, check_for_ever, &value) == RETROGRADE_OK);
    CHECK(value.wdl == RETROGRADE_DRAW && value.dtc == 0 && value.dtm == RETROGRADE_NO_VALUE && value.round == 0);
    CHECK(retrograde_xiangqi_probe(losses, check_for_ever, &value) == RETROGRADE_OK);
    CHECK(value.wdl == RETROGRADE_LOSS && value.dtc < 0 && value.dtm == RETROGRADE_NO_VALUE && value.round > 0);
    CHECK(retrograde_xiangqi_probe(draws, mate_in_one, &value) == RETROGRADE_OK);
    CHECK(value.wdl == RETROGRADE_WIN && value.dtc == 1 && value.dtm == 1 && value.round == 0);

    CHECK(retrograde_xiangqi_moves(draws, mate_in_one, moves, RETROGRADE_XIANGQI_MAX_MOVES, &count) == RETROGRADE_OK);
    CHECK(count > 10 && strcmp(moves[0].iccs, "a0d0") == 0 && strcmp(moves[0].wxf, "R9=6") == 0);
    CHECK(moves[0].flags == (RETROGRADE_CHECKMATE | RETROGRADE_CHECK));
    CHECK(moves[0].value.wdl == RETROGRADE_LOSS && moves[0].value.dtm == 0);
    CHECK(retrograde_xiangqi_moves(losses, check_for_ever, moves, 1, &count) == RETROGRADE_OK && count > 1);
    CHECK(moves[0].value.wdl == RETROGRADE_WIN);
    CHECK(retrograde_xiangqi_moves(draws, "3k5/9/9/9/9/9/9/9/9/3RK4 b", NULL, 0, &count) == RETROGRADE_OK && count == 0);

    count = 7;
    value.wdl = 9;
    CHECK(retrograde_xiangqi_probe(draws, "3k5/9/9/9/9/P8/9/9/9/4K4 w", &value) == RETROGRADE_NO_TABLE);
    CHECK(last_error_has("KPvK") && last_error_has("--game xiangqi"));
    CHECK(retrograde_xiangqi_probe(draws, ROOK_ENDING, &value) == RETROGRADE_BAD_POSITION && last_error_has("8 ranks"));
    CHECK(retrograde_xiangqi_probe(draws, "9/9/9/9/9/9/9/9/9/9 w", &value) == RETROGRADE_BAD_POSITION);
    CHECK(retrograde_xiangqi_probe(NULL, mate_in_one, &value) == RETROGRADE_BAD_ARGUMENT);
    CHECK(retrograde_xiangqi_probe(draws, NULL, &value) == RETROGRADE_BAD_ARGUMENT);
    CHECK(retrograde_xiangqi_probe(draws, mate_in_one, NULL) == RETROGRADE_BAD_ARGUMENT);
    CHECK(retrograde_xiangqi_moves(draws, mate_in_one, NULL, 1, &count) == RETROGRADE_BAD_ARGUMENT);
    CHECK(retrograde_xiangqi_moves(draws, mate_in_one, moves, 1, NULL) == RETROGRADE_BAD_ARGUMENT);
    CHECK(retrograde_xiangqi_open(directory, 2, NULL, &none) == RETROGRADE_BAD_ARGUMENT && last_error_has("rules"));
    CHECK(retrograde_xiangqi_open(NULL, 0, NULL, &none) == RETROGRADE_BAD_ARGUMENT);
    CHECK(retrograde_xiangqi_open(directory, 0, NULL, NULL) == RETROGRADE_BAD_ARGUMENT);
    CHECK(retrograde_xiangqi_open("nowhere at all", 0, NULL, &none) == RETROGRADE_BAD_DIRECTORY);
    CHECK(last_error_has("nowhere at all") && none == NULL && count == 7 && value.wdl == 9);
    CHECK(retrograde_xiangqi_open(damaged, RETROGRADE_CYCLES_DRAW, NULL, &none) == RETROGRADE_OK);
    CHECK(retrograde_xiangqi_probe(none, mate_in_one, &value) == RETROGRADE_BAD_TABLE && last_error_has("KRvK.wdl"));
    retrograde_xiangqi_free(none);
    retrograde_xiangqi_free(draws);
    retrograde_xiangqi_free(losses);
    retrograde_xiangqi_free(NULL);
}

int main(int argc, char **argv)
{
    retrograde_tables *tables = NULL;
    if (argc != 4) {
        fprintf(stderr, "usage: %s TABLES DAMAGED VERSION\n", argv[0]);
        return EXIT_FAILURE;
    }
    const char *directory = argv[1];
    CHECK(strcmp(retrograde_last_error(), "") == 0);
    CHECK(strcmp(retrograde_version(), argv[3]) == 0);
    CHECK(retrograde_open(&directory, 1, NULL, &tables) == RETROGRADE_OK);
    if (tables == NULL) {
        fprintf(stderr, "%s\n", retrograde_last_error());
        return EXIT_FAILURE;
    }
    CHECK(retrograde_max_men(tables) == 3);
    check_values(tables);
    check_bitboards(tables);
    check_errors(tables, directory, argv[2]);
    check_options(directory);
    check_root_moves(tables);
    check_line(tables);
    check_threads(tables);
    check_xiangqi(directory, argv[2]);
    retrograde_free(tables);
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
