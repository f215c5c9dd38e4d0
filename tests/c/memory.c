/*
 * What the C library does when the system gives no memory: for every request, of those of at least
 * LEAST bytes, a process of its own in which that one is refused, and one in which that one and all
 * after it are.
 *
 *     ./memory TABLES SYZYGY LEAST
 *
 * TABLES has tables of our own of three men, and those of xiangqi that KRvKN needs; SYZYGY has
 * Syzygy tables of three men. Prints a line for each thing that is asked: how many requests were
 * refused, and how often that ended the process. Afterwards, with memory again, the same handle has
 * to give the right answers. Of glibc, whose malloc is replaced here.
 */

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "retrograde.h"
#include "tbprobe.h"

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *old, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);

/* Requests of fewer bytes are granted. */
static size_t least;
/* How many requests are granted before one is refused; 0 refuses none. */
static unsigned long countdown;
/* Whether those after it are refused as well. */
static int goes_on;
static unsigned long refused;

static int is_refused(size_t bytes)
{
    if (bytes < least || countdown == 0)
        return 0;
    if (countdown > 1) {
        countdown--;
        return 0;
    }
    if (!goes_on)
        countdown = 0;
    refused++;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t bytes)
{
    return is_refused(bytes) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return is_refused(count * bytes) ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *old, size_t bytes)
{
    return is_refused(bytes) ? NULL : __libc_realloc(old, bytes);
}

int posix_memalign(void **place, size_t alignment, size_t bytes)
{
    if (is_refused(bytes))
        return ENOMEM;
    *place = __libc_memalign(alignment, bytes);
    return *place == NULL ? ENOMEM : 0;
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return is_refused(bytes) ? NULL : __libc_memalign(alignment, bytes);
}

#define ROOK_ENDING "8/8/8/8/8/2k5/1R6/K7 w - - 0 1"
#define XIANGQI_ENDING "3k5/9/9/9/9/9/9/9/9/R3K4 w"
/* Lost, since its checks have to end. */
#define CHECKS_FOR_EVER "9/9/4k4/9/9/9/9/9/3K5/n2R5 b"
/* The rook ending for Fathom's functions: white, black, kings, queens, rooks. */
#define ROOK_MEN 1ull << 0 | 1ull << 9, 1ull << 18, 1ull << 0 | 1ull << 18, 0, 1ull << 9

static const char *native, *syzygy;
static retrograde_tables *tables;
static retrograde_xiangqi_tables *xiangqi;
static struct retrograde_position position;

/* Small enough that a refusal is that of a part and not of all. */
static struct retrograde_options small(int map_files)
{
    struct retrograde_options options;
    retrograde_default_options(&options, sizeof options);
    options.cache_bytes = 4 << 20;
    options.result_bytes = 64 << 10;
    options.checkpoint_bytes = 64 << 10;
    options.preloaded_bytes = 4 << 20;
    options.map_files = map_files;
    return options;
}

static int open_tables(const char *directory, int map_files)
{
    struct retrograde_options options = small(map_files);
    return retrograde_open(&directory, 1, &options, &tables);
}

static int open_xiangqi(int map_files)
{
    struct retrograde_options options = small(map_files);
    return retrograde_xiangqi_open(native, RETROGRADE_PERPETUAL_CHECK, &options, &xiangqi);
}

static int has_error(void)
{
    return retrograde_last_error()[0] != '\0';
}

/* Each asks something, says whether it was answered, and checks the answer if it was. */

static int opening(void)
{
    int status = open_tables(native, 1);
    CHECK(status == RETROGRADE_OK || (tables == NULL && has_error()));
    CHECK(status != RETROGRADE_OK || retrograde_max_men(tables) == 3);
    retrograde_free(tables);
    tables = NULL;
    return status == RETROGRADE_OK;
}

static int wdl(void)
{
    int wdl = 9, status = retrograde_probe_wdl(tables, &position, &wdl);
    CHECK(status == RETROGRADE_OK ? wdl == RETROGRADE_WIN : wdl == 9 && has_error());
    return status == RETROGRADE_OK;
}

static int dtz(void)
{
    int shortest = 9, longest = 9, status = retrograde_probe_dtz_range(tables, &position, &shortest, &longest);
    CHECK(status == RETROGRADE_OK ? shortest <= 31 && longest >= 31 && longest - shortest <= 1 : has_error());
    return status == RETROGRADE_OK;
}

static int after_zeroing(void)
{
    int wdl = 9, status = retrograde_probe_wdl_after_zeroing(tables, &position, &wdl);
    CHECK(status == RETROGRADE_OK ? wdl == RETROGRADE_WIN : wdl == 9 && has_error());
    return status == RETROGRADE_OK;
}

static int exact_dtz(void)
{
    int dtz = 99, status = retrograde_probe_dtz(tables, &position, &dtz);
    CHECK(status == RETROGRADE_OK ? dtz == 31 : dtz == 99 && has_error());
    return status == RETROGRADE_OK;
}

static int dtm(void)
{
    int dtm = 9, status = retrograde_probe_dtm(tables, &position, &dtm);
    CHECK(status == RETROGRADE_OK ? dtm == 31 : dtm == 9 && has_error());
    return status == RETROGRADE_OK;
}

static int root(void)
{
    struct retrograde_ranked_move moves[RETROGRADE_MAX_MOVES];
    size_t count = 999;
    int status = retrograde_rank_root_moves(tables, &position, 0, moves, RETROGRADE_MAX_MOVES, &count);
    CHECK(status == RETROGRADE_OK ? count > 5 && moves[0].wdl == RETROGRADE_LOSS : count == 999 && has_error());
    return status == RETROGRADE_OK;
}

static int line(void)
{
    struct retrograde_line_move moves[40];
    size_t count = 999;
    int end = 9, status = retrograde_line(tables, &position, moves, 40, &count, &end);
    CHECK(status == RETROGRADE_OK ? count == 31 && end == RETROGRADE_LINE_CHECKMATE : count == 999 && has_error());
    return status == RETROGRADE_OK;
}

static int prefetch(void)
{
    int status = retrograde_prefetch_results(tables, 3);
    CHECK(status == RETROGRADE_OK || has_error());
    return status == RETROGRADE_OK;
}

static int fen(void)
{
    struct retrograde_position read;
    int status = retrograde_read_fen(ROOK_ENDING, &read);
    CHECK(status == RETROGRADE_OK || has_error());
    CHECK(retrograde_read_fen("8/8/8/8/8/8/8 w - - 0 1", &read) == RETROGRADE_BAD_POSITION && has_error());
    return status == RETROGRADE_OK;
}

static int missing(void)
{
    struct retrograde_position five;
    int wdl = 9, status = retrograde_read_fen("8/8/8/3r4/8/2k5/1Q6/K7 b - - 0 1", &five);
    CHECK(status == RETROGRADE_OK);
    status = retrograde_probe_wdl(tables, &five, &wdl);
    CHECK(status != RETROGRADE_OK && wdl == 9 && has_error());
    return status == RETROGRADE_NO_TABLE;
}

static int xiangqi_opening(void)
{
    int status = open_xiangqi(1);
    CHECK(status == RETROGRADE_OK || (xiangqi == NULL && has_error()));
    retrograde_xiangqi_free(xiangqi);
    xiangqi = NULL;
    return status == RETROGRADE_OK;
}

static int xiangqi_probe(void)
{
    struct retrograde_xiangqi_value value = {9, 9, 9, 9};
    int status = retrograde_xiangqi_probe(xiangqi, XIANGQI_ENDING, &value);
    CHECK(status == RETROGRADE_OK ? value.wdl == RETROGRADE_WIN : value.wdl == 9 && has_error());
    return status == RETROGRADE_OK;
}

static int xiangqi_moves(void)
{
    struct retrograde_xiangqi_move moves[RETROGRADE_XIANGQI_MAX_MOVES];
    size_t count = 999;
    int status = retrograde_xiangqi_moves(xiangqi, XIANGQI_ENDING, moves, RETROGRADE_XIANGQI_MAX_MOVES, &count);
    CHECK(status == RETROGRADE_OK ? count > 1 && moves[0].value.wdl == RETROGRADE_LOSS : count == 999 && has_error());
    return status == RETROGRADE_OK;
}

static int xiangqi_rounds(void)
{
    struct retrograde_xiangqi_value value = {9, 9, 9, 9};
    int status = retrograde_xiangqi_probe(xiangqi, CHECKS_FOR_EVER, &value);
    CHECK(status == RETROGRADE_OK ? value.wdl == RETROGRADE_LOSS && value.round > 0 : value.wdl == 9 && has_error());
    return status == RETROGRADE_OK;
}

static int fathom_opening(void)
{
    /* As where there is no table: Fathom's programs look how many men there are. */
    CHECK(tb_init(native) && (TB_LARGEST == 3 || TB_LARGEST == 0));
    int is_open = TB_LARGEST == 3;
    tb_free();
    return is_open;
}

static int fathom_wdl(void)
{
    unsigned wdl = tb_probe_wdl(ROOK_MEN, 0, 0, 0, 0, 0, 0, true);
    CHECK(wdl == TB_WIN || wdl == TB_RESULT_FAILED);
    return wdl == TB_WIN;
}

static int fathom_root(void)
{
    unsigned results[TB_MAX_MOVES], best = tb_probe_root(ROOK_MEN, 0, 0, 0, 0, 0, 0, true, results);
    CHECK(best == TB_RESULT_FAILED || (TB_GET_WDL(best) == TB_WIN && TB_GET_DTZ(best) == 31));
    return best != TB_RESULT_FAILED;
}

static struct TbRootMoves ranked;

static int fathom_ranks(void)
{
    int is_known = tb_probe_root_dtz(ROOK_MEN, 0, 0, 0, 0, 0, 0, true, false, true, &ranked);
    CHECK(!is_known || (ranked.size == 16 && ranked.moves[0].tbRank == 1000));
    return is_known;
}

static int fathom_results(void)
{
    int is_known = tb_probe_root_wdl(ROOK_MEN, 0, 0, 0, 0, 0, 0, true, true, &ranked);
    CHECK(!is_known || (ranked.size == 16 && ranked.moves[0].tbRank == 1000));
    return is_known;
}

static unsigned long all_refused, all_deaths;

/* Asks with each request refused in turn. */
static void refuse_each(const char *name, const char *place, int (*ask)(void))
{
    unsigned long deaths = 0, number;
    int is_over = 0;
    for (number = 1; !is_over; number++) {
        for (goes_on = 0; goes_on < 2; goes_on++) {
            int state;
            pid_t child = fork();
            if (child == 0) {
                int answered;
                failures = 0;
                /* The message of an abort is no news here. */
                if (freopen("/dev/null", "w", stderr) == NULL)
                    _exit(3);
                /* A call that does not return counts as one that ended the process. */
                alarm(20);
                countdown = number;
                answered = ask();
                countdown = 0;
                if (refused == 0)
                    _exit(failures == 0 && answered ? 2 : 1);
                /* With memory again everything is known. */
                CHECK(ask());
                _exit(failures == 0 ? 0 : 1);
            }
            CHECK(child > 0 && waitpid(child, &state, 0) == child);
            if (WIFSIGNALED(state))
                deaths++;
            else if (WEXITSTATUS(state) == 2)
                is_over = 1;
            else if (WEXITSTATUS(state) != 0) {
                fprintf(stderr, "%s, %s: wrong after request %lu of %zu bytes or more was refused%s\n", place, name, number,
                        least, goes_on ? " and all after it" : "");
                failures++;
            }
        }
    }
    number -= 2;
    printf("%s, %s: %lu requests, %lu of %lu refusals ended the process\n", place, name, number, deaths, 2 * number);
    all_refused += 2 * number;
    all_deaths += deaths;
}

static void refuse_in(const char *place, const char *directory, int map_files)
{
    const int has_mates = directory == native;
    CHECK(open_tables(directory, map_files) == RETROGRADE_OK);
    if (tables == NULL)
        return;
    refuse_each("wdl", place, wdl);
    refuse_each("wdl after zeroing", place, after_zeroing);
    refuse_each("dtz", place, dtz);
    if (has_mates) {
        refuse_each("exact dtz", place, exact_dtz);
        refuse_each("dtm", place, dtm);
    }
    refuse_each("root moves", place, root);
    if (has_mates)
        refuse_each("line", place, line);
    refuse_each("prefetch", place, prefetch);
    refuse_each("missing table", place, missing);
    retrograde_free(tables);
    tables = NULL;
}

static void refuse_fathom(const char *place, const char *directory)
{
    CHECK(tb_init(directory));
    refuse_each("wdl", place, fathom_wdl);
    refuse_each("root", place, fathom_root);
    refuse_each("ranks", place, fathom_ranks);
    refuse_each("results", place, fathom_results);
    tb_free();
}

static void refuse_xiangqi(const char *place, int map_files)
{
    CHECK(open_xiangqi(map_files) == RETROGRADE_OK);
    if (xiangqi == NULL)
        return;
    refuse_each("probe", place, xiangqi_probe);
    refuse_each("rounds", place, xiangqi_rounds);
    refuse_each("moves", place, xiangqi_moves);
    retrograde_xiangqi_free(xiangqi);
    xiangqi = NULL;
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: memory TABLES SYZYGY LEAST\n");
        return 2;
    }
    native = argv[1];
    syzygy = argv[2];
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    least = strtoul(argv[3], NULL, 10);
    CHECK(retrograde_read_fen(ROOK_ENDING, &position) == RETROGRADE_OK);
    refuse_each("fen", "positions", fen);
    refuse_each("open", "native", opening);
    refuse_in("native, mapped", native, 1);
    refuse_in("native, read", native, 0);
    refuse_in("Syzygy, mapped", syzygy, 1);
    refuse_in("Syzygy, read", syzygy, 0);
    refuse_each("open", "Fathom", fathom_opening);
    refuse_fathom("Fathom, native", native);
    refuse_fathom("Fathom, Syzygy", syzygy);
    refuse_each("open", "xiangqi", xiangqi_opening);
    refuse_xiangqi("xiangqi, mapped", 1);
    refuse_xiangqi("xiangqi, read", 0);
    printf("%lu refusals of %zu bytes or more, %lu ended the process\n", all_refused, least, all_deaths);
    return failures != 0 || all_deaths != 0;
}
