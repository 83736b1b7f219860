/* Runs @name@ from its start: @name@ [seconds [step]] > outputs.csv
 *
 * Inputs keep the values that they start with; set b.in before a step to change them.
 */
#include <stdio.h>
#include <stdlib.h>

#include "@name@_block.h"

static void print(const @name@_block *b)
{
    int k;
    printf("%.17g", b->time);
    for (k = 0; k < @NAME@_OUTPUTS; ++k)
        printf(",%.17g", b->y[k]);
    putchar('\n');
}

int main(int argc, char **argv)
{
    const double duration = argc > 1 ? strtod(argv[1], NULL) : 1.0;
    const double step = argc > 2 ? strtod(argv[2], NULL) : @NAME@_DT;
    long k, count = step > 0.0 ? (long)(duration / step + 0.5) : 0;
    static @name@_block b;
    if (count < 1) {
        fprintf(stderr, "usage: %s [seconds [step]]\n", argv[0]);
        return 2;
    }
    @name@_start(&b);
    printf("t");
    for (k = 0; k < @NAME@_OUTPUTS; ++k)
        printf(",%s", @name@_output_names[k]);
    putchar('\n');
    print(&b);
    for (k = 0; k < count; ++k) {
        const int status = @name@_advance(&b, step);
        if (status != 0) {
            fprintf(stderr, "%s: at %g s: %s\n", argv[0], b.time, @name@_message(status));
            return 1;
        }
        print(&b);
    }
    return 0;
}
