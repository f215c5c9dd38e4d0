/*
 * Asks the tables about one position: its value, then every move, best first.
 *
 *     cargo rustc --release --lib --features capi --crate-type cdylib
 *     cc -Iinclude examples/probe.c -Ltarget/release -lretrograde -Wl,-rpath,$PWD/target/release -o target/probe
 *     target/probe '8/8/8/8/8/2k5/1R6/K7 w - - 0 1' [DIRECTORY]
 */

#include <stdio.h>

#include "retrograde.h"

/* By wdl + 2. */
static const char *const names[] = {"loss", "blessed loss", "draw", "cursed win", "win"};

static int complain(void)
{
    fprintf(stderr, "%s\n", retrograde_last_error());
    return 1;
}

int main(int argc, char **argv)
{
    const char *fen = argc > 1 ? argv[1] : "8/8/8/8/8/2k5/1R6/K7 w - - 0 1";
    const char *directory = argc > 2 ? argv[2] : "tables";
    struct retrograde_ranked_move moves[RETROGRADE_MAX_MOVES];
    struct retrograde_position position;
    retrograde_tables *tables;
    size_t count;
    int wdl, dtz, dtm;

    if (retrograde_open(&directory, 1, NULL, &tables) != RETROGRADE_OK)
        return complain();
    /* A program with its own board fills in the bitboards instead. */
    if (retrograde_read_fen(fen, &position) != RETROGRADE_OK
        /* Whatever the clock of the FEN says. A search asks retrograde_probe_wdl, right after a
         * capture or pawn move. */
        || retrograde_probe_wdl_after_zeroing(tables, &position, &wdl) != RETROGRADE_OK
        || retrograde_probe_dtz(tables, &position, &dtz) != RETROGRADE_OK
        || retrograde_rank_root_moves(tables, &position, 0, moves, RETROGRADE_MAX_MOVES, &count) != RETROGRADE_OK)
        return complain();
    printf("%s, dtz %d", names[wdl + 2], dtz);
    if (retrograde_probe_dtm(tables, &position, &dtm) == RETROGRADE_OK && dtm != RETROGRADE_NO_VALUE)
        printf(", dtm %d", dtm);
    printf("\n");
    /* Values after a move are the opponent's. */
    for (size_t i = 0; i < count; i++)
        printf("%-6s rank %5d  %s\n", moves[i].uci, (int)moves[i].rank, names[2 - moves[i].wdl]);
    retrograde_free(tables);
    return 0;
}
