/* Plots over the last few seconds: where the time goes, where the liquid is, and that none is lost. */
#include <string.h>

#include "viewer_internal.h"

static const uint32_t colours[] = { 0x5fb4dc, 0xf2b04c, 0x7fc8a9, 0xd98cb3, 0xb6a4e8, 0xe07a5f, 0xd8d47c };
enum { COLOURS = sizeof colours / sizeof colours[0] };

/* The line of an account; new names get the next one that is free. */
static int line_of(rill_plots *plots, const char *name) {
    for (int i = 0; i < plots->account_count; ++i)
        if (strcmp(plots->names[i], name) == 0) return i;
    if (plots->account_count == RILL_PLOT_ACCOUNTS) return -1;
    snprintf(plots->names[plots->account_count], sizeof plots->names[0], "%s", name);
    return plots->account_count++;
}

void rill_plots_add(rill_viewer *viewer) {
    const rill_player_status *status = &viewer->status;
    rill_plots *plots = &viewer->plots;
    int at = plots->next;
    if (!status->open || status->steps == plots->steps) return;
    for (int i = 0; i < RILL_STAGE_COUNT; ++i) plots->stages[i][at] = (float)(1e3 * status->step.stage_seconds[i]);
    plots->stages[RILL_STAGE_COUNT][at] = (float)(1e3 * status->surface_seconds);
    plots->volume[at] = (float)((double)status->ledger.columns * status->ledger.quantum_volume * 1e6);
    plots->error[at] = (float)(status->ledger.error < 0 ? -status->ledger.error : status->ledger.error);
    for (int i = 0; i < plots->account_count; ++i) plots->accounts[i][at] = 0;
    for (int32_t i = 0; i < status->account_count; ++i) {
        int line = line_of(plots, status->accounts[i].name);
        if (line >= 0)
            plots->accounts[line][at] = (float)(1e6 * (status->accounts[i].poured + status->accounts[i].drained));
    }
    plots->next = (at + 1) % RILL_PLOT_COUNT;
    plots->steps = status->steps;
    plots->count = plots->count < RILL_PLOT_COUNT ? plots->count + 1 : RILL_PLOT_COUNT;
}

void rill_plots_show(rill_viewer *viewer) {
    const rill_plots *plots = &viewer->plots;
    rill_gui_line lines[RILL_PLOT_STAGES + RILL_PLOT_ACCOUNTS];
    char text[96];
    if (!rill_gui_section("Plots", true)) return;
    for (int i = 0; i < RILL_PLOT_STAGES; ++i) {
        const char *name = i < RILL_STAGE_COUNT ? rill_stage_name((rill_stage)i) : "surface";
        lines[i] = (rill_gui_line){ name, plots->stages[i], colours[i % COLOURS] };
    }
    int count = plots->count > 0 ? plots->count : 1, start = plots->count < RILL_PLOT_COUNT ? 0 : plots->next;
    rill_gui_plot("Time per frame, by stage", lines, RILL_PLOT_STAGES, count, start, true, "ms", 1, 3.4f);
    lines[0] = (rill_gui_line){ "in columns", plots->volume, colours[0] };
    for (int i = 0; i < plots->account_count; ++i)
        lines[i + 1] = (rill_gui_line){ plots->names[i], plots->accounts[i], colours[(i + 1) % COLOURS] };
    rill_gui_plot("Volume, and by account", lines, 1 + plots->account_count, count, start, false, "ml", 1e-3, 3.4f);
    lines[0] = (rill_gui_line){ "error", plots->error, colours[5] };
    snprintf(text, sizeof text, "Ledger error: %lld quanta", (long long)viewer->status.ledger.error);
    rill_gui_plot(text, lines, 1, count, start, false, "quanta", 1, 1.4f);
}
