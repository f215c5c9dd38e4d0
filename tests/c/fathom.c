/*
 * Asks the C library by the names of Fathom.
 *
 *     ./fathom TABLES
 *
 * TABLES has all tables of three men and no others.
 */

#include <pthread.h>
#include <stdlib.h>

#include "check.h"
#include "tbprobe.h"

/* A position of KRvK or KQvK: white king, white piece, black king. */
#define SETS(king, piece, other) \
    1ull << (king) | 1ull << (piece), 1ull << (other), 1ull << (king) | 1ull << (other)

enum { A1 = 0, B2 = 9, C3 = 18, F7 = 53, G6 = 46, G7 = 54, H8 = 63 };

static unsigned rook_ending(bool turn)
{
    return tb_probe_wdl(SETS(A1, B2, C3), 0, 1ull << B2, 0, 0, 0, 0, 0, 0, turn);
}

static void check_results(void)
{
    unsigned results[TB_MAX_MOVES];
    unsigned best, count = 0, winning = 0;
    CHECK(rook_ending(true) == TB_WIN);
    CHECK(rook_ending(false) == TB_LOSS);
    /* Not what a search may ask. */
    CHECK(tb_probe_wdl(SETS(A1, B2, C3), 0, 1ull << B2, 0, 0, 0, 1, 0, 0, true) == TB_RESULT_FAILED);
    CHECK(tb_probe_wdl(SETS(A1, B2, C3), 0, 1ull << B2, 0, 0, 0, 0, TB_CASTLING_k, 0, true) == TB_RESULT_FAILED);
    /* Four men, and no legal position. */
    CHECK(tb_probe_wdl(1ull << A1 | 1ull << B2, 1ull << C3 | 1ull << H8, 1ull << A1 | 1ull << C3, 1ull << H8,
                       1ull << B2, 0, 0, 0, 0, 0, 0, false) == TB_RESULT_FAILED);
    CHECK(tb_probe_wdl(SETS(A1, B2, C3), 1ull << B2, 0, 0, 0, 0, 0, 0, 0, true) == TB_RESULT_FAILED);

    best = tb_probe_root(SETS(A1, B2, C3), 0, 1ull << B2, 0, 0, 0, 69, 0, 0, true, results);
    CHECK(TB_GET_WDL(best) == TB_WIN && TB_GET_DTZ(best) == 31);
    CHECK(TB_GET_FROM(best) == A1 && TB_GET_PROMOTES(best) == TB_PROMOTES_NONE && TB_GET_EP(best) == 0);
    for (; results[count] != TB_RESULT_FAILED; count++)
        winning += TB_GET_WDL(results[count]) == TB_WIN;
    CHECK(count == 16 && winning >= 1 && winning < 16);
    best = tb_probe_root(SETS(A1, B2, C3), 0, 1ull << B2, 0, 0, 0, 70, 0, 0, true, NULL);
    CHECK(TB_GET_WDL(best) == TB_CURSED_WIN && TB_GET_DTZ(best) == 31);

    CHECK(tb_probe_root(SETS(G6, G7, H8), 1ull << G7, 0, 0, 0, 0, 0, 0, 0, false, results) == TB_RESULT_CHECKMATE);
    CHECK(results[0] == TB_RESULT_FAILED);
    CHECK(tb_probe_root(SETS(G6, F7, H8), 1ull << F7, 0, 0, 0, 0, 0, 0, 0, false, NULL) == TB_RESULT_STALEMATE);
    CHECK(TB_SET_DTZ(TB_SET_FROM(0u, 63u), 4095u) == 0xFFF0FC00u);
}

static void check_ranks(void)
{
    struct TbRootMoves *moves = malloc(sizeof *moves);
    int best = 0;
    CHECK(sizeof(struct TbRootMove) == 528 && sizeof(struct TbRootMoves) == 101908);
    CHECK(tb_probe_root_dtz(SETS(A1, B2, C3), 0, 1ull << B2, 0, 0, 0, 69, 0, 0, true, false, true, moves) == 1);
    CHECK(moves->size == 16);
    for (unsigned i = 0; i < moves->size; i++) {
        if (moves->moves[i].tbRank > best)
            best = moves->moves[i].tbRank;
        CHECK(moves->moves[i].pvSize == 0 && TB_MOVE_PROMOTES(moves->moves[i].move) == 0);
    }
    CHECK(best == 900 && TB_MOVE_FROM(moves->moves[0].move) == A1);
    CHECK(tb_probe_root_wdl(SETS(A1, B2, C3), 0, 1ull << B2, 0, 0, 0, 99, 0, 0, true, true, moves) == 1);
    CHECK(moves->size == 16 && moves->moves[0].tbRank == 1000 && moves->moves[0].tbScore == 31744);
    CHECK(tb_probe_root_dtz(SETS(A1, B2, C3), 0, 1ull << B2, 0, 0, 0, 0, 1, 0, true, false, true, moves) == 0);
    CHECK(tb_probe_root_wdl(SETS(A1, B2, C3), 0, 1ull << B2, 0, 0, 0, 0, 0, 0, true, true, NULL) == 0);
    free(moves);
}

static void check_helpers(void)
{
    CHECK(tb_pop_count(0xF0F0u) == 8 && tb_lsb(0xF0u) == 4 && tb_pop_lsb(0xF0u) == 0xE0u);
    CHECK(tb_king_attacks(A1) == 0x302u && tb_knight_attacks(A1) == 0x20400u);
    CHECK(tb_rook_attacks(A1, 1ull << 2 | 1ull << 16) == 0x10106u);
    CHECK(tb_bishop_attacks(A1, 1ull << C3) == 0x40200u);
    CHECK(tb_queen_attacks(A1, 1ull << 2 | 1ull << 16 | 1ull << C3) == 0x50306u);
    /* White pawns take upwards, black ones downwards, from any rank. */
    CHECK(tb_pawn_attacks(4, true) == 0x2800u && tb_pawn_attacks(4, false) == 0);
    CHECK(tb_pawn_attacks(60, false) == 0x28000000000000u && tb_pawn_attacks(60, true) == 0);
}

static volatile int done = 0;

/* Probes while the tables come and go: a failed probe or the right answer. */
static void *ask(void *argument)
{
    long answers = 0;
    (void)argument;
    while (!done) {
        unsigned wdl = rook_ending(true);
        CHECK(wdl == TB_WIN || wdl == TB_RESULT_FAILED);
        answers += wdl == TB_WIN;
    }
    return (void *)answers;
}

static void check_threads(const char *directory)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        CHECK(pthread_create(&threads[i], NULL, ask, NULL) == 0);
    for (int i = 0; i < 200; i++) {
        tb_free();
        CHECK(rook_ending(true) == TB_RESULT_FAILED);
        CHECK(tb_init(directory));
        CHECK(rook_ending(true) == TB_WIN);
    }
    done = 1;
    for (int i = 0; i < 3; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
}

int main(int argc, char **argv)
{
    char list[4096];
    if (argc != 2) {
        fprintf(stderr, "usage: %s TABLES\n", argv[0]);
        return EXIT_FAILURE;
    }
    CHECK(TB_LARGEST == 0 && rook_ending(true) == TB_RESULT_FAILED);
    snprintf(list, sizeof list, "/nowhere/at/all:%s", argv[1]);
    CHECK(tb_init(list) && TB_LARGEST == 3);
    check_results();
    check_ranks();
    check_helpers();
    tb_free();
    CHECK(TB_LARGEST == 0 && rook_ending(true) == TB_RESULT_FAILED);
    CHECK(tb_init("") && TB_LARGEST == 0);
    CHECK(tb_init("/nowhere/at/all") && TB_LARGEST == 0);
    CHECK(tb_init_impl(argv[1]) && TB_LARGEST == 3);
    CHECK(tb_init("<empty>") && TB_LARGEST == 0);
    CHECK(!tb_init(NULL));
    check_threads(argv[1]);
    tb_free();
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
