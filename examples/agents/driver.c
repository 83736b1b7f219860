/* An agent in C: it registers over UDP, hears where its robots are, and drives them, until it is told no more.

       cc -O2 -o driver driver.c -lm
       ./driver PORT KEY ROBOT[,ROBOT...] ITERATIONS

   It speaks the binary form of docs/agents.md: frames of little-endian numbers, copied as they are, so that the
   machine has to be little-endian too. */

#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST = 32, MAGIC = 0xB1, REQUEST = 1, MOTORS = 2, DONE = 3, REPLY = 17, BROADCAST = 18 };

static uint8_t out[MOST * 1024], in[65536];
static size_t size;

static void put(const void *data, size_t count) { memcpy(out + size, data, count); size += count; }
static void put_u16(uint16_t value) { put(&value, 2); }
static void put_u32(uint32_t value) { put(&value, 4); }

static uint32_t get_u32(size_t at) { uint32_t value; memcpy(&value, in + at, 4); return value; }
static uint16_t get_u16(size_t at) { uint16_t value; memcpy(&value, in + at, 2); return value; }
static double get_f64(size_t at) { double value; memcpy(&value, in + at, 8); return value; }

/* A frame: its head, of which the length is filled in by `end`. */
static size_t begin(uint8_t kind) {
    const uint8_t head[4] = {MAGIC, kind, 0, 0};
    put(head, 4);
    put_u32(0);
    return size;
}

static void end(size_t body) {
    const uint32_t length = (uint32_t)(size - body);
    memcpy(out + body - 4, &length, 4);
}

/* MessagePack: a table of at most 15 rows, a short text, true. */
static void put_table(int rows) { out[size++] = (uint8_t)(0x80 | rows); }
static void put_true(void) { out[size++] = 0xC3; }
static void put_text(const char *text) {
    out[size++] = 0xD9;
    out[size++] = (uint8_t)strlen(text);
    put(text, strlen(text));
}

static void put_registration(const char *key) {
    const size_t body = begin(REQUEST);
    put_table(2);
    put_text("command");
    put_text("register_agent");
    put_text("data");
    put_table(2);
    put_text("key");
    put_text(key);
    put_text("synchronous");
    put_true();
    end(body);
}

static void put_motors(const char *robot, double left, double right) {
    const size_t body = begin(MOTORS);
    put_u16((uint16_t)strlen(robot));
    put(robot, strlen(robot));
    put_u16(2);
    put(&left, 8);
    put(&right, 8);
    end(body);
}

static void put_done(uint32_t iteration) {
    const size_t body = begin(DONE);
    put_u32(iteration);
    end(body);
}

/* Where the text at `at` ends. */
static size_t past(size_t at) { return at + 2 + get_u16(at); }

/* Which entity of a broadcast has an id; -1 if it is not among them. */
static int row_of(const char *robot, size_t at, uint32_t entities) {
    for (uint32_t row = 0; row < entities; ++row) {
        const int found = get_u16(at) == strlen(robot) && memcmp(in + at + 2, robot, strlen(robot)) == 0;
        if (found) return (int)row;
        at = past(past(past(at)));
        uint16_t motors = get_u16(at);
        for (at += 2; motors > 0; --motors) at = past(at);
    }
    return -1;
}

int main(int count, char **arguments) {
    if (count != 5) return fprintf(stderr, "driver PORT KEY ROBOT[,ROBOT...] ITERATIONS\n"), 2;
    const char *robots[MOST];
    int team = 0;
    for (char *one = strtok(arguments[3], ","); one != NULL && team < MOST; one = strtok(NULL, ","))
        robots[team++] = one;
    const uint32_t last = (uint32_t)atoi(arguments[4]);
    struct sockaddr_in kernel = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(arguments[1]))};
    kernel.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int link = socket(AF_INET, SOCK_DGRAM, 0);
    const struct timeval patience = {.tv_sec = 10};
    setsockopt(link, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (connect(link, (struct sockaddr *)&kernel, sizeof kernel) != 0) return perror("connect"), 1;

    put_registration(arguments[2]);
    send(link, out, size, 0);
    for (;;) {
        const ssize_t got = recv(link, in, sizeof in, 0);
        if (got < 64) return fprintf(stderr, "the kernel is silent\n"), 1;
        if (in[1] != BROADCAST) return fprintf(stderr, "refused: %.*s\n", (int)got - 8, (char *)in + 8), 1;
        const size_t fixed = 8, names = fixed + 56;
        const uint32_t iteration = get_u32(fixed + 16), entities = get_u32(fixed + 28);
        const size_t rows = names + get_u32(fixed + 40);
        double x = 0.0, y = 0.0;
        size = 0;
        for (int n = 0; n < team; ++n) {
            const int row = row_of(robots[n], names, entities);
            if (row < 0) return fprintf(stderr, "no entity %s\n", robots[n]), 1;
            x = get_f64(rows + 104 * (size_t)row);
            y = get_f64(rows + 104 * (size_t)row + 8);
            put_motors(robots[n], 5.0 + y, 4.0 - x);
        }
        put_done(iteration);
        send(link, out, size, 0);
        if (iteration >= last) {
            printf("%u %.17g %.17g\n", iteration, x, y);
            return close(link);
        }
    }
}
