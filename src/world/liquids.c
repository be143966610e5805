/* Presets of liquids: representative values at room temperature, contact angles on clean smooth solid. */
#include <string.h>

#include "world/world.h"

static const struct preset {
    const char *name;
    double density, viscosity, surface_tension, contact_angle; /* kg/m3, m2/s, N/m, degrees */
} presets[] = {
    { "water", 998.0, 1.004e-6, 0.0728, 40.0 },     { "blood", 1060.0, 4.0e-6, 0.056, 50.0 },
    { "coffee", 1000.0, 1.1e-6, 0.050, 35.0 },      { "milk", 1030.0, 1.8e-6, 0.047, 40.0 },
    { "paint", 1250.0, 8e-5, 0.033, 25.0 },         { "olive oil", 915.0, 9.2e-5, 0.032, 20.0 },
    { "glycerol", 1260.0, 1.118e-3, 0.0634, 45.0 }, { "honey", 1420.0, 7e-3, 0.060, 50.0 },
    { "wine", 990.0, 1.6e-6, 0.052, 30.0 },         { "apple juice", 1045.0, 1.6e-6, 0.060, 40.0 },
    { "milk tea", 1015.0, 1.3e-6, 0.050, 40.0 },    { "ink", 1010.0, 1.5e-6, 0.045, 25.0 },
    { "saline", 1005.0, 1.01e-6, 0.072, 40.0 },
};
enum { PRESETS = sizeof presets / sizeof presets[0] };

int32_t rill_liquid_preset_count(void) {
    return PRESETS;
}

const char *rill_liquid_preset_name(int32_t index) {
    return index >= 0 && index < PRESETS ? presets[index].name : NULL;
}

bool rill_liquid_preset(const char *name, rill_liquid *out) {
    if (!name || !out) return false;
    for (int32_t i = 0; i < PRESETS; ++i) {
        if (strcmp(name, presets[i].name) != 0) continue;
        *out = (rill_liquid){ .density = presets[i].density,
                              .viscosity = presets[i].viscosity,
                              .surface_tension = presets[i].surface_tension,
                              .contact_angle = rill_contact_angle_about(presets[i].contact_angle) };
        return true;
    }
    return false;
}
