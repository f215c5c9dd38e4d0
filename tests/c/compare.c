/*
 * Compares the library Fathom with ours, function by function, on the same positions.
 *
 *     ./compare THEIRS THEIR-TABLES OURS OUR-TABLES exact|native COUNT [EPD]
 *
 * THEIRS and OURS are shared libraries. COUNT random positions of as many men as their tables have
 * are compared, and those of an EPD file, each with several clocks. `exact`: both have the same
 * Syzygy tables, and all that they say is to be the same, but for the choice of a move that draws.
 * `native`: ours are tables of our own, whose distances are exact where those of Syzygy tables may
 * be a ply short. Says what differs and how much was compared. Exit status: 0 nothing differs, 1
 * something does, 3 THEIRS cannot be loaded, 2 anything else.
 */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "retrograde.h"
#include "tbprobe.h"

struct library {
    bool (*init)(const char *);
    unsigned *largest;
    unsigned (*wdl)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, unsigned, bool);
    unsigned (*root)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, unsigned, unsigned,
                     bool, unsigned *);
    int (*root_dtz)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, unsigned, unsigned,
                    unsigned, bool, bool, bool, struct TbRootMoves *);
    int (*root_wdl)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, unsigned, unsigned,
                    unsigned, bool, bool, struct TbRootMoves *);
};

static struct library theirs, ours;
static bool is_native;
static long positions, moves, probes, longer, differences;

/* The address of a name, as whatever kind of pointer the place is of. */
static void find(void *library, const char *name, void *place)
{
    void *address = dlsym(library, name);
    if (address == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    memcpy(place, &address, sizeof address);
}

static void *open_library(const char *path, struct library *functions, const char *tables)
{
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(functions == &theirs ? 3 : 2);
    }
    find(library, "tb_init", &functions->init);
    find(library, "TB_LARGEST", &functions->largest);
    find(library, "tb_probe_wdl_impl", &functions->wdl);
    find(library, "tb_probe_root_impl", &functions->root);
    find(library, "tb_probe_root_dtz", &functions->root_dtz);
    find(library, "tb_probe_root_wdl", &functions->root_wdl);
    if (!functions->init(tables) || *functions->largest < 3) {
        fprintf(stderr, "%s: no tables in %s\n", path, tables);
        exit(2);
    }
    return library;
}

static void differ(const struct retrograde_position *p, unsigned clock, const char *what, long their, long our)
{
    static const char letters[] = "KQRBNPkqrbnp";
    const uint64_t kinds[] = {p->kings, p->queens, p->rooks, p->bishops, p->knights, p->pawns};
    if (differences++ >= 20)
        return;
    for (int rank = 7; rank >= 0; rank--) {
        for (int file = 0; file < 8; file++) {
            uint64_t bit = 1ull << (8 * rank + file);
            char letter = '1';
            for (int kind = 0; kind < 6; kind++)
                if (kinds[kind] & bit)
                    letter = letters[kind + (p->black & bit ? 6 : 0)];
            putchar(letter);
        }
        putchar(rank > 0 ? '/' : ' ');
    }
    printf("%c clock %u en passant %d: %s: theirs %ld, ours %ld\n", p->turn ? 'b' : 'w', clock, p->en_passant, what,
           their, our);
}

#define SETS p->white, p->black, p->kings, p->queens, p->rooks, p->bishops, p->knights, p->pawns

/* The value of a result follows from its distance and the clock. */
static unsigned value(unsigned result, unsigned clock)
{
    unsigned wdl = TB_GET_WDL(result), in_time = TB_GET_DTZ(result) + clock <= 100;
    if (wdl == TB_DRAW)
        return TB_DRAW;
    return wdl > TB_DRAW ? (in_time ? TB_WIN : TB_CURSED_WIN) : (in_time ? TB_LOSS : TB_BLESSED_LOSS);
}

/* Whether two results of a move say the same. */
static bool is_same(unsigned their, unsigned our, unsigned clock)
{
    unsigned sides[2] = {TB_GET_WDL(their), TB_GET_WDL(our)};
    if (their == our)
        return true;
    if (!is_native || ((their ^ our) & ~(TB_RESULT_DTZ_MASK | TB_RESULT_WDL_MASK)) != 0)
        return false;
    longer++;
    return (sides[0] > TB_DRAW) == (sides[1] > TB_DRAW) && (sides[0] < TB_DRAW) == (sides[1] < TB_DRAW)
        && TB_GET_DTZ(our) == TB_GET_DTZ(their) + 1 && value(our, clock) == sides[1];
}

static void compare_root(const struct retrograde_position *p, unsigned clock)
{
    unsigned their[TB_MAX_MOVES], our[TB_MAX_MOVES], their_best, our_best, i;
    const unsigned squares = TB_RESULT_TO_MASK | TB_RESULT_FROM_MASK | TB_RESULT_PROMOTES_MASK | TB_RESULT_EP_MASK;
    bool turn = p->turn == RETROGRADE_WHITE, listed = false;
    their_best = theirs.root(SETS, clock, p->en_passant, turn, their);
    our_best = ours.root(SETS, clock, p->en_passant, turn, our);
    probes++;
    if (their_best == TB_RESULT_FAILED || our_best == TB_RESULT_FAILED) {
        differ(p, clock, "tb_probe_root failed", their_best, our_best);
        return;
    }
    for (i = 0; their[i] != TB_RESULT_FAILED && our[i] != TB_RESULT_FAILED; i++) {
        moves++;
        if (!is_same(their[i], our[i], clock))
            differ(p, clock, "result of a move", their[i], our[i]);
        listed |= our[i] == our_best;
    }
    if (their[i] != our[i])
        differ(p, clock, "number of moves", their[i], our[i]);
    if (i == 0) {
        if (their_best != our_best)
            differ(p, clock, "mate or stalemate", their_best, our_best);
        return;
    }
    /* Their distance of the position may be a ply short and that of its best move not. */
    if (is_native)
        listed = true;
    /* Which of the moves that draw, or with distances known better which that wins, is a matter of
     * taste. */
    if (is_native || TB_GET_WDL(their_best) == TB_DRAW)
        their_best = (their_best & ~squares) | (our_best & squares);
    if (!is_same(their_best, our_best, clock))
        differ(p, clock, "tb_probe_root", their_best, our_best);
    else if (TB_GET_WDL(our_best) == TB_DRAW && !listed)
        differ(p, clock, "the move does not draw", 0, our_best);
}

static void compare_ranks(const struct retrograde_position *p, unsigned clock, bool by_dtz, bool repeated, bool rule50)
{
    static struct TbRootMoves their, our;
    bool turn = p->turn == RETROGRADE_WHITE;
    int their_status, our_status;
    if (by_dtz) {
        their_status = theirs.root_dtz(SETS, clock, 0, p->en_passant, turn, repeated, rule50, &their);
        our_status = ours.root_dtz(SETS, clock, 0, p->en_passant, turn, repeated, rule50, &our);
    } else {
        their_status = theirs.root_wdl(SETS, clock, 0, p->en_passant, turn, rule50, &their);
        our_status = ours.root_wdl(SETS, clock, 0, p->en_passant, turn, rule50, &our);
    }
    probes++;
    if (their_status != our_status || their.size != our.size) {
        differ(p, clock, "number of ranked moves", their.size, our.size);
        return;
    }
    for (unsigned i = 0; i < our.size; i++) {
        const struct TbRootMove *a = &their.moves[i], *b = &our.moves[i];
        int nearer = abs(a->tbRank) - abs(b->tbRank);
        moves++;
        if (a->move != b->move)
            differ(p, clock, "ranked move", a->move, b->move);
        else if (a->tbRank == b->tbRank && a->tbScore != b->tbScore)
            differ(p, clock, "score", a->tbScore, b->tbScore);
        /* A ply more is one rank less, or two at the edge of what wins for certain. */
        else if (a->tbRank != b->tbRank && !(is_native && by_dtz && nearer > -1 && (nearer == 1 || abs(a->tbRank) == 1000)))
            differ(p, clock, "rank", a->tbRank, b->tbRank);
    }
}

static void compare(const struct retrograde_position *p, unsigned number)
{
    static const unsigned clocks[] = {0, 1, 50, 98, 99, 100, 101};
    bool turn = p->turn == RETROGRADE_WHITE;
    unsigned their = theirs.wdl(SETS, p->en_passant, turn), our = ours.wdl(SETS, p->en_passant, turn);
    positions++;
    probes++;
    if (their != our)
        differ(p, 0, "tb_probe_wdl", their, our);
    for (unsigned i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
        /* All clocks now and then, and otherwise zero and one more. */
        if (number % 16 != 0 && i != 0 && i != number % 7)
            continue;
        compare_root(p, clocks[i]);
        compare_ranks(p, clocks[i], true, number & 1, number & 2);
    }
    compare_ranks(p, 0, false, false, number & 1);
    compare_ranks(p, 0, false, false, !(number & 1));
}

static uint64_t state = 88172645463325252ull;

static unsigned below(unsigned end)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state >> 20) % end;
}

/* Random men, now and then with a pawn that may just have made a double step. */
static struct retrograde_position random_men(unsigned men)
{
    struct retrograde_position p = {0};
    uint64_t *kinds[] = {&p.queens, &p.rooks, &p.bishops, &p.knights, &p.pawns};
    for (unsigned i = 0; i < men; i++) {
        unsigned kind = below(5), square = kind == 4 && i >= 2 ? 8 + below(48) : below(64);
        uint64_t bit = 1ull << square;
        if ((p.white | p.black) & bit) {
            i--;
            continue;
        }
        *(i == 0 || (i > 1 && below(2)) ? &p.white : &p.black) |= bit;
        *(i < 2 ? &p.kings : kinds[kind]) |= bit;
    }
    p.turn = (uint8_t)below(2);
    for (unsigned file = 0; file < 8 && p.pawns; file++) {
        /* The pawn, the square it passed, and where it came from. */
        unsigned there = (p.turn == RETROGRADE_WHITE ? 32 : 24) + file;
        unsigned passed = p.turn == RETROGRADE_WHITE ? there + 8 : there - 8;
        unsigned from = p.turn == RETROGRADE_WHITE ? there + 16 : there - 16;
        uint64_t them = p.turn == RETROGRADE_WHITE ? p.black : p.white;
        if ((p.pawns & them) >> there & 1 && !((p.white | p.black) >> passed & 1) && !((p.white | p.black) >> from & 1))
            p.en_passant = (uint8_t)passed;
    }
    return p;
}

/* Their function for roots fails for men that are no position, and where a table is missing. */
static bool is_known(const struct retrograde_position *p)
{
    return theirs.root(SETS, 0, p->en_passant, p->turn == RETROGRADE_WHITE, NULL) != TB_RESULT_FAILED;
}

int main(int argc, char **argv)
{
    int (*read_fen)(const char *, struct retrograde_position *);
    struct retrograde_position p;
    unsigned largest, number = 0;
    long count;
    if (argc < 7) {
        fprintf(stderr, "usage: %s THEIRS THEIR-TABLES OURS OUR-TABLES exact|native COUNT [EPD]\n", argv[0]);
        return 2;
    }
    is_native = strcmp(argv[5], "native") == 0;
    count = atol(argv[6]);
    open_library(argv[1], &theirs, argv[2]);
    find(open_library(argv[3], &ours, argv[4]), "retrograde_read_fen", &read_fen);
    largest = *theirs.largest < *ours.largest ? *theirs.largest : *ours.largest;
    if (argc > 7) {
        char line[512];
        FILE *epd = fopen(argv[7], "r");
        if (epd == NULL) {
            perror(argv[7]);
            return 2;
        }
        while (fgets(line, sizeof line, epd) != NULL) {
            /* The first four fields. */
            char *end = line;
            for (int field = 0; field < 4; field++)
                end += strcspn(end, " ") + (field < 3);
            *end = 0;
            if (read_fen(line, &p) != 0) {
                printf("not a position: %s\n", line);
                differences++;
            } else if (is_known(&p)) {
                compare(&p, number++);
            }
        }
        fclose(epd);
    }
    while (positions < count) {
        p = random_men(3 + below(largest - 2));
        if (is_known(&p))
            compare(&p, number++);
    }
    printf("%ld positions, %ld calls, %ld values of moves, %ld of them a ply longer; %ld differences\n", positions, probes,
           moves, longer, differences);
    return differences == 0 ? 0 : 1;
}
