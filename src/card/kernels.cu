/*
 * What a graphics card does with the sets of a chain: a thread for each word, for each 64 words, or
 * for each slab. Moves are data, from a table that src/chess/solve/on_card/table.rs makes.
 *
 * This is C as well as CUDA C, so that tests run the same lines on a processor: no thread waits for
 * another, and whatever several of them write to is written by `OR_INTO`. kernels.ptx is made from
 * this file by scripts/compile-kernels.
 */

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#ifdef __CUDACC__

struct Arguments {
    u64 at[8];
};

#define DEVICE static __device__ __forceinline__
#define OR_INTO(place, bits) atomicOr((place), (bits))
#define COUNT(word) ((u32)__popcll(word))
#define LOWEST(word) ((u32)(__ffsll((long long)(word)) - 1))
#define HIGHEST(word) ((u32)(63 - __clzll((long long)(word))))
/* A kernel for so many threads as the last argument says. */
#define KERNEL(name)                                                                               \
    extern "C" __global__ void name(const Arguments arguments) {                                   \
        u64 thread = blockIdx.x * (u64)blockDim.x + threadIdx.x;                                   \
        if (thread < arguments.at[7])                                                              \
            name##_of(thread, arguments.at);                                                       \
    }

#else

#define DEVICE static inline
#define OR_INTO(place, bits) __atomic_fetch_or((place), (bits), __ATOMIC_RELAXED)
#define COUNT(word) ((u32)__builtin_popcountll(word))
#define LOWEST(word) ((u32)__builtin_ctzll(word))
#define HIGHEST(word) ((u32)(63 - __builtin_clzll(word)))
#define KERNEL(name)                                                                               \
    void name(u64 first, u64 end, const u64 *arguments) {                                          \
        for (u64 thread = first; thread < end; thread++)                                           \
            name##_of(thread, arguments);                                                          \
    }

#endif

#define WORDS(argument) ((u64 *)(argument))
#define CONST_WORDS(argument) ((const u64 *)(argument))

/*
 * The table of one side's moves. First some numbers; then a record for each axis; the offsets in it
 * are in bytes from the beginning of the table. All men but the first have all squares, so the six
 * bits of such a man in an address are his square.
 */
enum { AXES, MOVES_WORD, FIXED, LOW, NEAR, FAR, RECORDS };
enum { SHIFT, MASK, KIND, SQUARES, FORTH, BACK, RECORD };
enum { NO_MOVES, SLIDES, LEAPS, TURNS };
/* Threads that do the same at the same time. */
enum { WARP = 32 };
/* The end of a list of places. */
enum { LIST_END = 0xfe };
/* Of a slider's direction: how far the next square is, then for each square those that lie there. */
enum { STEP, RAYS, DIRECTION = RAYS + 64 };

DEVICE const u8 *bytes_at(const u64 *table, u64 offset) { return (const u8 *)table + offset; }

/* The list of a place: lists begin with where each of 64 begins, from there on. */
DEVICE const u8 *list_of(const u64 *table, u64 lists, u32 number) {
    const u8 *all = bytes_at(table, lists);
    return all + ((const u16 *)all)[number];
}

DEVICE u32 place_at(const u64 *axis, u64 address) { return (u32)(address >> axis[SHIFT] & axis[MASK]); }

/* Where no slider passes, at one address. */
DEVICE u64 occupied_at(const u64 *table, u64 address) {
    const u64 *axis = table + RECORDS;
    u64 occupied = table[FIXED] | 1ull << bytes_at(table, axis[SQUARES])[place_at(axis, address)];
    for (u32 number = 1; number < (u32)table[AXES]; number++) {
        axis += RECORD;
        occupied |= 1ull << (address >> axis[SHIFT] & 63);
    }
    return occupied;
}

/* How many squares of a ray a slider sees that goes to higher or to lower ones. */
DEVICE u32 squares_seen(u64 ray, u64 occupied, int goes_up) {
    u64 blockers = ray & occupied;
    if (goes_up)
        ray &= (blockers & -blockers) - 1;
    else if (blockers)
        ray &= ~((2ull << HIGHEST(blockers)) - 1);
    return COUNT(ray);
}

/* The squares one step of a king away from a set. */
DEVICE u64 king_steps(u64 set) {
    u64 sides = (set << 1 & 0xfefefefefefefefeull) | (set >> 1 & 0x7f7f7f7f7f7f7f7full);
    u64 row = sides | set;
    return sides | row << 8 | row >> 8;
}

/* The set whose bit i is bit map(i) of another; what a symmetry is, src/chess/symmetry.rs says. */
DEVICE u64 pull(u32 symmetry, u64 set) {
    u64 swap;
    if (symmetry & 4) {
        swap = (set ^ set >> 28) & 0x00000000f0f0f0f0ull;
        set ^= swap ^ swap << 28;
        swap = (set ^ set >> 14) & 0x0000cccc0000ccccull;
        set ^= swap ^ swap << 14;
        swap = (set ^ set >> 7) & 0x00aa00aa00aa00aaull;
        set ^= swap ^ swap << 7;
    }
    if (symmetry & 2) {
        set = (set >> 8 & 0x00ff00ff00ff00ffull) | (set & 0x00ff00ff00ff00ffull) << 8;
        set = (set >> 16 & 0x0000ffff0000ffffull) | (set & 0x0000ffff0000ffffull) << 16;
        set = set >> 32 | set << 32;
    }
    if (symmetry & 1) {
        set = (set >> 1 & 0x5555555555555555ull) | (set & 0x5555555555555555ull) << 1;
        set = (set >> 2 & 0x3333333333333333ull) | (set & 0x3333333333333333ull) << 2;
        set = (set >> 4 & 0x0f0f0f0f0f0f0f0full) | (set & 0x0f0f0f0f0f0f0f0full) << 4;
    }
    return set;
}

DEVICE u32 inverse(u32 symmetry) {
    /* Behind a transposition, left-right and top-bottom change places. */
    return symmetry & 4 ? 4 | (symmetry & 1) << 1 | (symmetry & 2) >> 1 : symmetry;
}

/*
 * The address with the first man on a place and all others where a symmetry takes them. Left and
 * right, or top and bottom, change places if three bits of each square are turned over; files and
 * ranks if the two threes are exchanged.
 */
DEVICE u64 turned_address(const u64 *table, u64 address, u32 place, u32 symmetry) {
    u64 shift = table[RECORDS + SHIFT];
    u64 others = address & ((1ull << shift) - 1), files = 0x71c71c71c71c71c7ull;
    if (symmetry & 1)
        others ^= files;
    if (symmetry & 2)
        others ^= files << 3;
    if (symmetry & 4)
        others = (others & files) << 3 | (others >> 3 & files);
    return (u64)place << shift | (others & ((1ull << shift) - 1));
}

/*
 * The address for a thread. Threads that run at the same time should look at words that a cache
 * holds. Men whose squares are the highest bits move far. So for the side that has such men the
 * bits of an address come in another order: those in the middle (NEAR of them) change last.
 */
DEVICE u64 address_of(const u64 *table, u64 thread) {
    u64 low = table[LOW], near = table[NEAR], far = table[FAR];
    u64 in_far = thread >> low & ((1ull << far) - 1);
    u64 in_near = thread >> (low + far) & ((1ull << near) - 1);
    u64 others = thread & ~(((1ull << (near + far)) - 1) << low);
    return others | in_near << low | in_far << (low + near);
}

/* Those positions of a word from which a slider has a move into a set. */
DEVICE u64 having_a_slide(const u64 *rays, u64 shift, u32 square, u64 occupied, u64 word, const u64 *into) {
    u64 found = 0;
    for (u32 count = (u32)*rays++; count; count--, rays += DIRECTION) {
        int step = (int)rays[STEP];
        u32 seen = squares_seen(rays[RAYS + square], occupied, step > 0);
        long long words = (long long)step << shift;
        const u64 *to = into;
        u32 at = square;
        /* The man in the word stands in the way on the squares that were passed. */
        for (u64 open = word; seen; seen--) {
            to += words;
            at += step;
            found |= open & *to;
            open &= ~(1ull << at);
        }
    }
    return found;
}

/* Those positions of a word from which there is a quiet move into a set. */
DEVICE u64 having_a_move(const u64 *table, u64 address, u64 word, const u64 *into) {
    u64 found = table[MOVES_WORD] ? word & king_steps(into[address]) : 0;
    u64 occupied = occupied_at(table, address);
    const u64 *axis = table + RECORDS;
    for (u32 number = 0; number < (u32)table[AXES] && found != word; number++, axis += RECORD) {
        u32 place = place_at(axis, address);
        u64 shift = axis[SHIFT], base = address - ((u64)place << shift);
        const u8 *list;
        switch (axis[KIND]) {
        case SLIDES:
            found |= having_a_slide((const u64 *)bytes_at(table, axis[FORTH]), shift, place, occupied, word,
                                    into + address);
            break;
        case LEAPS:
            for (list = list_of(table, axis[FORTH], place); *list != LIST_END; list++)
                found |= word & into[base + ((u64)*list << shift)];
            break;
        case TURNS:
            for (list = list_of(table, axis[FORTH], place); *list != LIST_END; list += 2)
                found |= word & pull(list[1], into[turned_address(table, address, list[0], list[1])]);
            break;
        }
    }
    return found;
}

/* Arguments: table, into, among, target. The positions among some with a move into a set. */
DEVICE void reach_of(u64 thread, const u64 *a) {
    u64 address = address_of(CONST_WORDS(a[0]), thread);
    u64 word = CONST_WORDS(a[2])[address];
    WORDS(a[3])[address] = word ? having_a_move(CONST_WORDS(a[0]), address, word, CONST_WORDS(a[1])) : 0;
}
KERNEL(reach)

/* The same arguments. Those without; what they are found among may be the target. */
DEVICE void stay_of(u64 thread, const u64 *a) {
    u64 address = address_of(CONST_WORDS(a[0]), thread);
    u64 word = CONST_WORDS(a[2])[address];
    if (word)
        word &= ~having_a_move(CONST_WORDS(a[0]), address, word, CONST_WORDS(a[1]));
    WORDS(a[3])[address] = word;
}
KERNEL(stay)

DEVICE void add_among(u64 address, u64 word, const u64 *among, u64 *target) {
    word &= among[address];
    if (word)
        OR_INTO(target + address, word);
}

/* What has a slider's move into a word, added to a set. */
DEVICE void push_slides(const u64 *rays, u64 shift, u64 address, u32 square, u64 occupied, u64 word,
                        const u64 *among, u64 *target) {
    for (u32 count = (u32)*rays++; count; count--, rays += DIRECTION) {
        int step = (int)rays[STEP];
        u32 seen = squares_seen(rays[RAYS + square], occupied, step > 0);
        u64 from = address;
        u32 at = square;
        for (u64 open = word; seen && open; seen--) {
            from += (long long)step << shift;
            at += step;
            add_among(from, open, among, target);
            open &= ~(1ull << at);
        }
    }
}

/* The same arguments. Adds the positions among some with a move into a set of which most words are empty. */
DEVICE void push_of(u64 address, const u64 *a) {
    const u64 *table = CONST_WORDS(a[0]), *among = CONST_WORDS(a[2]);
    u64 word = CONST_WORDS(a[1])[address], *target = WORDS(a[3]);
    if (!word)
        return;
    if (table[MOVES_WORD])
        add_among(address, king_steps(word), among, target);
    u64 occupied = occupied_at(table, address);
    const u64 *axis = table + RECORDS;
    for (u32 number = 0; number < (u32)table[AXES]; number++, axis += RECORD) {
        u32 place = place_at(axis, address);
        u64 shift = axis[SHIFT], base = address - ((u64)place << shift);
        const u8 *list;
        switch (axis[KIND]) {
        case SLIDES:
            push_slides((const u64 *)bytes_at(table, axis[FORTH]), shift, address, place, occupied, word, among,
                        target);
            break;
        case LEAPS:
            for (list = list_of(table, axis[FORTH], place); *list != LIST_END; list++)
                add_among(base + ((u64)*list << shift), word, among, target);
            break;
        case TURNS:
            for (list = list_of(table, axis[BACK], place); *list != LIST_END; list += 2)
                add_among(turned_address(table, address, list[0], list[1]),
                          pull(inverse(list[1]), word), among, target);
            break;
        }
    }
}
KERNEL(push)

/* Arguments: set, other. Takes a set away from another. */
DEVICE void take_away_of(u64 address, const u64 *a) {
    u64 other = CONST_WORDS(a[1])[address];
    if (other)
        WORDS(a[0])[address] &= ~other;
}
KERNEL(take_away)

/* Arguments: set, among, target. Adds what two sets have in common. */
DEVICE void add_set_of(u64 address, const u64 *a) {
    u64 word = CONST_WORDS(a[0])[address];
    if (word && (word &= CONST_WORDS(a[1])[address]))
        WORDS(a[2])[address] |= word;
}
KERNEL(add_set)

/*
 * Sets as bytes, slab by slab, written as src/retro/words.rs says: of each word that is not empty
 * how far it is from the one before, which of its bytes are not zero, and these.
 */

/*
 * Arguments: bytes, where those of each slab begin and the last end, words of a slab, words, among
 * (0: all), target. A warp for each slab.
 */
DEVICE void add_encoded_of(u64 thread, const u64 *a) {
    /* Threads of a warp wait for each other wherever their ways part, and here they part all the time. */
    u64 slab = thread / WARP;
    if (thread % WARP)
        return;
    const u8 *next = (const u8 *)a[0] + CONST_WORDS(a[1])[slab];
    const u8 *end = (const u8 *)a[0] + CONST_WORDS(a[1])[slab + 1];
    u64 address = slab * a[2], after = address + a[2] < a[3] ? address + a[2] : a[3];
    const u64 *among = CONST_WORDS(a[4]);
    u64 *target = WORDS(a[5]);
    while (next < end) {
        u8 byte;
        u32 shift = 0;
        do {
            if (next == end || shift >= 32)
                return;
            byte = *next++;
            address += (u64)(byte & 0x7f) << shift;
            shift += 7;
        } while (byte & 0x80);
        if (address >= after || next == end)
            return;
        u64 word = 0;
        u32 used = *next++;
        for (u32 index = 0; index < 8; index++) {
            if (!(used >> index & 1))
                continue;
            if (next == end)
                return;
            word |= (u64)*next++ << 8 * index;
        }
        target[address] |= among ? word & among[address] : word;
    }
}
KERNEL(add_encoded)

/* Arguments: set, words, masks. A bit for each of 64 words, set where it is not empty. */
DEVICE void mask_of(u64 row, const u64 *a) {
    const u64 *set = CONST_WORDS(a[0]) + 64 * row;
    u64 left = a[1] - 64 * row, mask = 0;
    u32 count = left < 64 ? (u32)left : 64;
    for (u32 at = 0; at < count; at++)
        mask |= (u64)(set[at] != 0) << at;
    WORDS(a[2])[row] = mask;
}
KERNEL(mask)

/*
 * The last word before a row that is not empty, within the row's slab of so many rows; its first
 * one if there is none.
 */
DEVICE u64 word_before(u64 row, u64 rows, const u64 *masks) {
    u64 first = row - row % rows;
    while (row > first) {
        u64 mask = masks[--row];
        if (mask)
            return 64 * row + HIGHEST(mask);
    }
    return 64 * first;
}

DEVICE u32 bytes_used(u64 word) {
    u32 used = 0;
    for (u32 index = 0; index < 8; index++)
        used |= (u32)((word >> 8 * index & 0xff) != 0) << index;
    return used;
}

/* Arguments: set, rows of a slab, masks, lengths. How many bytes the words of a row take. */
DEVICE void measure_of(u64 row, const u64 *a) {
    const u64 *set = CONST_WORDS(a[0]);
    u64 mask = CONST_WORDS(a[2])[row], before = 0;
    u32 length = 0;
    if (mask)
        before = word_before(row, a[1], CONST_WORDS(a[2]));
    for (; mask; mask &= mask - 1) {
        u64 address = 64 * row + LOWEST(mask);
        u64 gap = address - before;
        before = address;
        for (; gap >= 0x80; gap >>= 7)
            length++;
        length += 2 + COUNT(bytes_used(set[address]));
    }
    ((u32 *)a[3])[row] = length;
}
KERNEL(measure)

/*
 * Arguments: rows of a slab, rows, masks, lengths, sums. Makes of lengths where the bytes of each
 * row begin within its slab, and says how many words and bytes that are not empty the slab has.
 */
DEVICE void sum_of(u64 slab, const u64 *a) {
    u64 row = slab * a[0], end = row + a[0] < a[1] ? row + a[0] : a[1];
    const u64 *masks = CONST_WORDS(a[2]);
    u32 *lengths = (u32 *)a[3], bytes = 0;
    u64 words = 0;
    /* Eight at a time, so that they are on their way together. */
    for (; row < end; row += 8) {
        u32 some = end - row < 8 ? (u32)(end - row) : 8, length[8];
        for (u32 at = 0; at < 8; at++) {
            length[at] = at < some ? lengths[row + at] : 0;
            words += at < some ? COUNT(masks[row + at]) : 0;
        }
        for (u32 at = 0; at < some; at++) {
            lengths[row + at] = bytes;
            bytes += length[at];
        }
    }
    WORDS(a[4])[2 * slab] = words;
    WORDS(a[4])[2 * slab + 1] = bytes;
}
KERNEL(sum)

/*
 * Arguments: set, rows of a slab, masks, where the bytes of each row begin within its slab, where
 * those of each slab begin, bytes, first row.
 */
DEVICE void encode_of(u64 thread, const u64 *a) {
    const u64 *set = CONST_WORDS(a[0]);
    u64 row = a[6] + thread, mask = CONST_WORDS(a[2])[row];
    if (!mask)
        return;
    u64 before = word_before(row, a[1], CONST_WORDS(a[2]));
    u8 *next = (u8 *)a[5] + CONST_WORDS(a[4])[thread / a[1]] + ((const u32 *)a[3])[row];
    for (; mask; mask &= mask - 1) {
        u64 address = 64 * row + LOWEST(mask);
        u64 gap = address - before, word = set[address];
        before = address;
        for (; gap >= 0x80; gap >>= 7)
            *next++ = (u8)(gap | 0x80);
        *next++ = (u8)gap;
        *next++ = (u8)bytes_used(word);
        for (; word; word >>= 8)
            if (word & 0xff)
                *next++ = (u8)word;
    }
}
KERNEL(encode)
