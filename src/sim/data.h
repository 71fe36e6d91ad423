/* data.h -- the data of this process's rank: inputs are read when an operation starts, outputs appear when it
 * ends
 *
 * Nothing here changes a time. Before an output appears, every running operation that reads or writes that
 * memory is evaluated into memory of its own; what nobody disturbs is evaluated at its end, straight into
 * place. A failure is kept and told later: the same messages are exchanged all the same. */
#ifndef RANKSH_SIM_DATA_H
#define RANKSH_SIM_DATA_H

#include "sim/backend.h"

struct data;
struct transfer;
enum status data_create(struct data **data, struct world *world, struct plane *plane);
void data_free(struct data *data);
enum status data_reserve(struct data *data, size_t running); /* room to note so many running operations */
enum status data_groups(struct data *data); /* communicators of new groups, in the order of the books */
void data_begin(struct data *data, op_id id);
void data_end(struct data *data, op_id id);
void data_drop(struct data *data, op_id id); /* aborted: its outputs are spoiled */
void data_fill(struct data *data, op_id id);
/* A fill of memory that an earlier operation uses waits for its time (fill.c); meets: with `other`, or with a
 * fill that waits. */
bool data_fill_meets(const struct data *data, op_id fill, op_id other);
bool data_fill_later(struct data *data, op_id id); /* false: no memory to note it */
op_id data_next_fill(const struct data *data);     /* 0: none */
void data_fill_now(struct data *data);
void data_transfer_begin(struct data *data, const struct transfer *transfer);
void data_transfer_end(struct data *data, const struct transfer *transfer);
/* A message could not even be exchanged: ST_MEMORY, for ever after. */
enum status data_stranded(const struct data *data);
bool data_spoiled(const struct data *data);  /* has there ever been a failure? */
enum status data_failure(struct data *data); /* the first failure since this was last asked; ST_OK if none */

#endif
