/* The folder of a bake: its names, who works in it, and what a stopped bake left.
 *
 * A record, ".resume.rill", says of what the bake is, how far it is, and holds a snapshot of the world:
 *
 *     rill bake 1
 *     program 0.2.0
 *     scene 0123456789abcdef
 *     options format=glb form=mesh until=3 every=frame solids=on meniscus=tilt
 *     frame 12               the last one that was simulated
 *     written 13             frames that are baked
 *     index 345              bytes of frames.csv
 *     samples 0              bytes of .samples
 *     snapshot 98765         and that many bytes follow this line; 0: before the first frame, or after the last
 *
 * It is replaced as a whole, after everything that it speaks of is on the disk: whenever a bake is killed, the record
 * and the files agree, and what came after it is baked again, to the same bytes. It stays when the bake is complete, so
 * that another one does not mix its frames with these. */
#ifndef RILL_BAKE_BAKE_FOLDER_H
#define RILL_BAKE_BAKE_FOLDER_H

#include "scene/mesh_export.h"
#include "scene/scene.h"

#define RILL_BAKE_INDEX "frames.csv"
#define RILL_BAKE_SAMPLES ".samples"
#define RILL_BAKE_STAGE "bake.usda"
#define RILL_BAKE_RECORD ".resume.rill"

enum { RILL_BAKE_PATH = 4096, RILL_BAKE_NAME = 64 };
/* Writes the path of a file in the folder; false after complaining that it is too long. */
bool rill_bake_path(const char *folder, const char *name, char path[RILL_BAKE_PATH]);
/* Writes a name like "liquid_00012.obj". */
void rill_bake_frame_name(char name[RILL_BAKE_NAME], const char *kind, int64_t number, rill_mesh_format format);

/* Complain to stderr and return false. The second one is for disks that are full or closed, and says how to go on. */
bool rill_bake_complain(const char *path, const char *why);
bool rill_bake_complain_of_disk(const char *path, const char *why);

/* Tells one bake from another. */
typedef struct rill_bake_identity {
    uint64_t scene; /* hash of the scene's text, the --set options, the files it names and the world at its start */
    char options[160];
} rill_bake_identity;
bool rill_bake_identify(const rill_scene *scene, const char *const *sets, size_t set_count, const rill_world *world,
                        rill_bake_identity *out);

typedef struct rill_bake_record {
    int64_t frame, written;
    uint64_t index, samples;
    char *snapshot; /* free() it */
    uint64_t snapshot_size;
} rill_bake_record;

/* Makes the folder and takes it for this process: returns a descriptor, or -1 after complaining. `*code` is then the
 * code to leave with. */
int rill_bake_folder_open(const char *folder, int *code);
/* Reads the record, if there is one (`*found`), and compares. Returns a code to leave with. */
int rill_bake_record_read(const char *folder, const rill_bake_identity *identity, rill_bake_record *out, bool *found);
/* Replaces it. `record->snapshot` may be NULL with size 0. */
bool rill_bake_record_write(const char *folder, const rill_bake_identity *identity, const rill_bake_record *record);

/* Tells whether the files of all baked frames are there; complains about the first that is not. */
bool rill_bake_is_whole(const char *folder, rill_mesh_format format, int64_t written);
/* Removes everything that a bake, of whatever format, may have left in the folder, and nothing else. */
bool rill_bake_remove(const char *folder);
/* Removes the samples, which are of no use once they are joined. */
void rill_bake_remove_samples(const char *folder);

#endif
