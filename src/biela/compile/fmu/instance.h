/* What the adapters of FMI 2.0 and 3.0 share: an instance, its modes, its messages, its values and states.
 *
 * The numbers of the status (OK 0, Warning 1, Discard 2, Error 3) are those of both standards.
 * Whatever an importer does wrong is answered with Error and a message; the state stays as it was.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "@name@_block.h"

#define TOKEN "@token@"
#define FARTHEST 1e-6 /* of a start from the constraints */

enum { INSTANTIATED = 1, INITIALIZATION = 2, READY = 4, TERMINATED = 8, ANY = 15 };
enum { FIXED_NOW, ALWAYS, NEVER }; /* when a value may be set */
#define FIRST_INPUT (1u + @NAME@_OUTPUTS)
#define FIRST_PARAMETER (FIRST_INPUT + @NAME@_INPUTS)
#define SHOWN (0u + @NAME@_SHOWN)

typedef struct {
    @name@_block block;
    int mode, logging, stops;
    double stop;
    char *name;
    void *environment;
    LOGGER log;
} Instance;

typedef struct {
    char token[sizeof TOKEN];
    int mode, stops;
    double stop;
    @name@_block block;
} Snapshot;

static void tell(const Instance *c, int status, const char *category, const char *text);

/* Tell what is wrong, and be Error. */
static int refuse(const Instance *c, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tell(c, 3, "logStatusError", text);
    return 3;
}

static const char *mode_name(int mode)
{
    switch (mode) {
    case INSTANTIATED: return "instantiated";
    case INITIALIZATION: return "in initialization mode";
    case READY: return "in step mode";
    default: return "terminated";
    }
}

/* Whether a call is allowed now; if not, why. */
static int allowed(const Instance *c, int modes, const char *call)
{
    if (c == NULL)
        return 0;
    if (c->mode & modes)
        return 1;
    refuse(c, "%s: not allowed while the model is %s.", call, mode_name(c->mode));
    return 0;
}

static Instance *made(const char *name, const char *token, int logging, void *environment, LOGGER log)
{
    Instance draft, *c;
    memset(&draft, 0, sizeof draft);
    draft.environment = environment;
    draft.log = log;
    draft.logging = logging;
    draft.name = (char *)"@name@";
    if (token == NULL || strcmp(token, TOKEN) != 0) {
        refuse(&draft, "Instantiate: the token '%s' is not '%s': the description is of another model.",
               token == NULL ? "" : token, TOKEN);
        return NULL;
    }
    if (name == NULL || *name == '\0') {
        refuse(&draft, "Instantiate: the instance has no name.");
        return NULL;
    }
    c = (Instance *)calloc(1, sizeof *c);
    if (c == NULL || (draft.name = (char *)malloc(strlen(name) + 1)) == NULL) {
        free(c);
        return NULL;
    }
    strcpy(draft.name, name);
    *c = draft;
    c->mode = INSTANTIATED;
    @name@_start(&c->block);
    return c;
}

static void discarded(Instance *c)
{
    if (c != NULL) {
        free(c->name);
        free(c);
    }
}

static int entered(Instance *c, const char *call, double start, int stops, double stop)
{
    if (!isfinite(start) || (stops && !(stop >= start)))
        return refuse(c, "%s: from %g to %g is no interval of time.", call, start, stop);
    c->stops = stops;
    c->stop = stop;
    @name@_begin(&c->block, start);
    return 0;
}

static int ready(Instance *c)
{
    const double gap = @name@_residual(&c->block);
    if (!(gap <= FARTHEST))
        return refuse(c, "ExitInitializationMode: the start is off the constraints by %g. Give start values "
                         "that close the loops.", gap);
    @name@_look(&c->block);
    c->mode = READY;
    return 0;
}

/* Where a value is kept, NULL if nothing has this reference; `settable` tells when it may be set. */
static double *place(Instance *c, unsigned reference, int *settable)
{
    @name@_block *b = &c->block;
    if (reference >= FIRST_PARAMETER + @NAME@_PARAMETERS)
        return NULL;
    *settable = ALWAYS;
    if (reference >= FIRST_PARAMETER)
        return b->p + (reference - FIRST_PARAMETER);
    if (reference >= FIRST_INPUT)
        return b->in + (reference - FIRST_INPUT);
    *settable = NEVER;
    if (reference == 0)
        return &b->time;
    *settable = reference <= SHOWN ? FIXED_NOW : NEVER;
    return reference <= SHOWN ? b->x + (reference - 1) : b->y + (reference - 1);
}

static int got(Instance *c, const char *call, const unsigned *references, size_t n, double *values)
{
    size_t k;
    int settable;
    if (n > 0 && (references == NULL || values == NULL))
        return refuse(c, "%s: %lu values are asked for, without a place for them.", call, (unsigned long)n);
    if (c->mode != READY)
        @name@_look(&c->block);
    for (k = 0; k < n; ++k) {
        const double *value = place(c, references[k], &settable);
        if (value == NULL)
            return refuse(c, "%s: no variable has the value reference %u.", call, references[k]);
        values[k] = *value;
    }
    return 0;
}

static int given(Instance *c, const char *call, const unsigned *references, size_t n, const double *values)
{
    size_t k;
    int settable;
    if (n > 0 && (references == NULL || values == NULL))
        return refuse(c, "%s: %lu values are announced, and none given.", call, (unsigned long)n);
    for (k = 0; k < n; ++k) {
        if (place(c, references[k], &settable) == NULL)
            return refuse(c, "%s: no variable has the value reference %u.", call, references[k]);
        if (settable == NEVER || (settable == FIXED_NOW && c->mode == READY))
            return refuse(c, "%s: the variable with the value reference %u is %s.", call, references[k],
                          settable == NEVER ? "calculated" : "set before the first step only");
    }
    for (k = 0; k < n; ++k)
        *place(c, references[k], &settable) = values[k];
    return 0;
}

static int stepped(Instance *c, double point, double duration)
{
    const double near = 1e-6 * @NAME@_DT + 1e-12 * fabs(c->block.time);
    int status;
    if (point < c->block.time - near)
        return refuse(c, "DoStep: from %.15g s would be a step into the past: the model is at %.15g s. Go on "
                         "from there, or set an earlier state.", point, c->block.time);
    if (!(fabs(point - c->block.time) <= near))
        return refuse(c, "DoStep: the communication point %.15g s is not where the model is, at %.15g s.",
                      point, c->block.time);
    if (!(duration > 0.0))
        return refuse(c, "DoStep: a communication step of %g s is not positive.", duration);
    if (c->stops && point + duration > c->stop + near)
        return refuse(c, "DoStep: %.15g s is later than the stop time %.15g s.", point + duration, c->stop);
    status = @name@_advance(&c->block, duration);
    if (status != 0)
        return refuse(c, "DoStep: from %.15g s for %g s: %s. The state is that before the step.", point,
                      duration, @name@_message(status));
    c->block.time = point + duration;
    return 0;
}

static int kept(Instance *c, void **state)
{
    Snapshot *found;
    if (state == NULL)
        return refuse(c, "GetFMUState: there is no place for the state.");
    found = (Snapshot *)(*state == NULL ? calloc(1, sizeof *found) : *state);
    if (found == NULL)
        return refuse(c, "GetFMUState: there is no memory for the state.");
    memcpy(found->token, TOKEN, sizeof TOKEN);
    found->mode = c->mode;
    found->stops = c->stops;
    found->stop = c->stop;
    found->block = c->block;
    *state = found;
    return 0;
}

/* Whether a state is one of this model. */
static int valid(const Instance *c, const Snapshot *state, const char *call)
{
    if (state != NULL && memcmp(state->token, TOKEN, sizeof TOKEN) == 0)
        return 1;
    refuse(c, "%s: %s.", call, state == NULL ? "there is no state" : "the state is one of another model");
    return 0;
}

static int restored(Instance *c, const Snapshot *state)
{
    if (!valid(c, state, "SetFMUState"))
        return 3;
    c->mode = state->mode;
    c->stops = state->stops;
    c->stop = state->stop;
    c->block = state->block;
    return 0;
}

static int released(void **state)
{
    if (state != NULL) {
        free(*state);
        *state = NULL;
    }
    return 0;
}

static int packed(const Instance *c, const Snapshot *state, void *bytes, size_t size)
{
    if (!valid(c, state, "SerializeFMUState"))
        return 3;
    if (bytes == NULL || size < sizeof *state)
        return refuse(c, "SerializeFMUState: a state has %lu bytes, and there is room for %lu.",
                      (unsigned long)sizeof *state, (unsigned long)size);
    memcpy(bytes, state, sizeof *state);
    return 0;
}

static int unpacked(Instance *c, const void *bytes, size_t size, void **state)
{
    Snapshot draft;
    if (bytes == NULL || state == NULL || size != sizeof draft)
        return refuse(c, "DeserializeFMUState: a state has %lu bytes; got %lu.", (unsigned long)sizeof draft,
                      (unsigned long)size);
    memcpy(&draft, bytes, sizeof draft);
    if (!valid(c, &draft, "DeserializeFMUState"))
        return 3;
    if (*state == NULL && (*state = calloc(1, sizeof draft)) == NULL)
        return refuse(c, "DeserializeFMUState: there is no memory for the state.");
    memcpy(*state, &draft, sizeof draft);
    return 0;
}
