/* The only C++ of the project: Dear ImGui behind plain functions. See gui.h. */
#include "gui.h"

#include <GLFW/glfw3.h>
#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace {

constexpr float TEXT_SIZE = 15, TITLE_SIZE = 26;
constexpr int ITEM_LIMIT = 256;

/* Where items are, by label, for tests. */
struct Item {
    char label[48];
    ImVec4 rectangle;
};
Item items[ITEM_LIMIT];
int item_count;

/* Where windows are. ImGui itself knows only after the next frame whether one is under the pointer, which is late for a
 * click that comes together with the move to its place. */
constexpr int WINDOW_LIMIT = 8;
ImVec4 windows[WINDOW_LIMIT];
int window_count;

/* A click may be shorter than a frame: it is seen as down in one frame at least. */
constexpr int BUTTONS = 3;
bool buttons_down[BUTTONS], buttons_clicked[BUTTONS];

ImFont *title_font;
float density = 1;

ImVec4 colour_of(uint32_t rgb, float alpha = 1) {
    return ImVec4(float(rgb >> 16 & 255) / 255, float(rgb >> 8 & 255) / 255, float(rgb & 255) / 255, alpha);
}

ImU32 packed(uint32_t rgb, float alpha = 1) {
    return ImGui::ColorConvertFloat4ToU32(colour_of(rgb, alpha));
}

void note_item(const char *label) {
    if (item_count < ITEM_LIMIT) {
        Item &item = items[item_count++];
        std::snprintf(item.label, sizeof item.label, "%s", label);
        ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
        item.rectangle = ImVec4(low.x, low.y, high.x, high.y);
    }
}

void note_window() {
    if (window_count < WINDOW_LIMIT) {
        ImVec2 low = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
        windows[window_count++] = ImVec4(low.x, low.y, low.x + size.x, low.y + size.y);
    }
}

/* A typeface of the system; else the one inside ImGui, which is crisp only at multiples of its size. */
ImFont *add_font(float size) {
    static const char *const files[] = {
        "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
        "/usr/share/fonts/dejavu/DejaVuSans.ttf",
        "/usr/share/fonts/TTF/DejaVuSans.ttf",
        "/usr/share/fonts/truetype/noto/NotoSans-Regular.ttf",
        "/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf",
        "/System/Library/Fonts/Helvetica.ttc",
    };
    ImFontAtlas *fonts = ImGui::GetIO().Fonts;
    for (const char *file : files) {
        if (FILE *there = std::fopen(file, "rb")) {
            std::fclose(there);
            if (ImFont *font = fonts->AddFontFromFileTTF(file, size)) return font;
        }
    }
    ImFontConfig config;
    config.SizePixels = 13 * std::max(1.0f, float(int(size / 13 + 0.5f)));
    return fonts->AddFontDefault(&config);
}

void set_style() {
    ImGuiStyle &style = ImGui::GetStyle();
    ImGui::StyleColorsDark();
    style.WindowRounding = 0;
    style.FrameRounding = style.GrabRounding = 4;
    style.WindowBorderSize = 0;
    style.WindowPadding = ImVec2(14, 12);
    style.FramePadding = ImVec2(8, 4);
    style.ItemSpacing = ImVec2(8, 5);
    style.ScaleAllSizes(density);
    const uint32_t accent = 0x3f8fb5;
    ImVec4 *c = style.Colors;
    c[ImGuiCol_Text] = colour_of(RILL_GUI_TEXT);
    c[ImGuiCol_WindowBg] = colour_of(0x1c2024);
    c[ImGuiCol_PopupBg] = colour_of(0x23282d);
    c[ImGuiCol_FrameBg] = colour_of(0x2d343a);
    c[ImGuiCol_FrameBgHovered] = colour_of(0x38424a);
    c[ImGuiCol_FrameBgActive] = colour_of(0x3f4b54);
    c[ImGuiCol_SliderGrab] = colour_of(0x4a90b0);
    c[ImGuiCol_SliderGrabActive] = colour_of(0x5fb4dc);
    c[ImGuiCol_Button] = colour_of(0x34404a);
    c[ImGuiCol_ButtonHovered] = colour_of(accent);
    c[ImGuiCol_ButtonActive] = colour_of(0x2f7396);
    c[ImGuiCol_Header] = colour_of(0x272d32);
    c[ImGuiCol_HeaderHovered] = colour_of(0x33404a);
    c[ImGuiCol_HeaderActive] = colour_of(accent);
    c[ImGuiCol_PlotHistogram] = colour_of(accent);
}

void map_keys(ImGuiIO &io) {
    io.KeyMap[ImGuiKey_Tab] = GLFW_KEY_TAB;
    io.KeyMap[ImGuiKey_LeftArrow] = GLFW_KEY_LEFT;
    io.KeyMap[ImGuiKey_RightArrow] = GLFW_KEY_RIGHT;
    io.KeyMap[ImGuiKey_Home] = GLFW_KEY_HOME;
    io.KeyMap[ImGuiKey_End] = GLFW_KEY_END;
    io.KeyMap[ImGuiKey_Delete] = GLFW_KEY_DELETE;
    io.KeyMap[ImGuiKey_Backspace] = GLFW_KEY_BACKSPACE;
    io.KeyMap[ImGuiKey_Enter] = GLFW_KEY_ENTER;
    io.KeyMap[ImGuiKey_KeyPadEnter] = GLFW_KEY_KP_ENTER;
    io.KeyMap[ImGuiKey_Escape] = GLFW_KEY_ESCAPE;
    io.KeyMap[ImGuiKey_A] = GLFW_KEY_A;
}

constexpr ImGuiWindowFlags BARE = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                                  ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings;

} // namespace

/* ----------------------------------------------------------------------------------------------------- life, input */

bool rill_gui_start(float scale) {
    ImGui::CreateContext();
    ImGuiIO &io = ImGui::GetIO();
    io.IniFilename = nullptr;
    density = scale;
    ImGui::GetIO().FontDefault = add_font(TEXT_SIZE * scale);
    title_font = add_font(TITLE_SIZE * scale);
    set_style();
    map_keys(io);
    return ImGui_ImplOpenGL3_Init("#version 330 core");
}

void rill_gui_stop(void) {
    ImGui_ImplOpenGL3_Shutdown();
    ImGui::DestroyContext();
}

void rill_gui_begin(int width, int height, double dt) {
    ImGuiIO &io = ImGui::GetIO();
    io.DisplaySize = ImVec2(float(width), float(height));
    io.DeltaTime = float(std::min(std::max(dt, 1e-4), 1.0));
    for (int i = 0; i < BUTTONS; ++i) {
        io.MouseDown[i] = buttons_down[i] || buttons_clicked[i];
        buttons_clicked[i] = false;
    }
    item_count = window_count = 0;
    ImGui_ImplOpenGL3_NewFrame();
    ImGui::NewFrame();
}

void rill_gui_end(void) {
    ImGui::Render();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
}

void rill_gui_on_mouse(float x, float y) {
    ImGui::GetIO().MousePos = ImVec2(x, y);
}

void rill_gui_on_button(int button, bool down) {
    if (button >= 0 && button < BUTTONS) {
        buttons_down[button] = down;
        buttons_clicked[button] |= down;
    }
}

void rill_gui_on_wheel(float amount) {
    ImGui::GetIO().MouseWheel += amount;
}

void rill_gui_on_key(int key, bool down) {
    ImGuiIO &io = ImGui::GetIO();
    if (key >= 0 && key < 512) io.KeysDown[key] = down;
    io.KeyCtrl = io.KeysDown[GLFW_KEY_LEFT_CONTROL] || io.KeysDown[GLFW_KEY_RIGHT_CONTROL];
    io.KeyShift = io.KeysDown[GLFW_KEY_LEFT_SHIFT] || io.KeysDown[GLFW_KEY_RIGHT_SHIFT];
    io.KeyAlt = io.KeysDown[GLFW_KEY_LEFT_ALT] || io.KeysDown[GLFW_KEY_RIGHT_ALT];
}

void rill_gui_on_text(unsigned codepoint) {
    ImGui::GetIO().AddInputCharacter(codepoint);
}

bool rill_gui_has_mouse(void) {
    ImVec2 mouse = ImGui::GetIO().MousePos;
    for (int i = 0; i < window_count; ++i) {
        const ImVec4 &r = windows[i];
        if (mouse.x >= r.x && mouse.x < r.z && mouse.y >= r.y && mouse.y < r.w) return true;
    }
    return ImGui::IsAnyItemActive();
}

bool rill_gui_has_keys(void) {
    return ImGui::GetIO().WantTextInput;
}

bool rill_gui_find(const char *label, float rectangle[4]) {
    for (int i = 0; i < item_count; ++i) {
        if (std::strcmp(items[i].label, label) == 0) {
            std::memcpy(rectangle, &items[i].rectangle, 4 * sizeof *rectangle);
            return true;
        }
    }
    return false;
}

/* --------------------------------------------------------------------------------------------------------- windows */

void rill_gui_panel_begin(const char *name, float x, float y, float width, float height) {
    ImGui::SetNextWindowPos(ImVec2(x, y));
    ImGui::SetNextWindowSize(ImVec2(width, height));
    ImGui::Begin(name, nullptr, BARE);
    note_window();
}

namespace {

void begin_card(const char *name, float x, float y, float centre_x, float centre_y, ImGuiWindowFlags flags) {
    ImGui::SetNextWindowPos(ImVec2(x, y), ImGuiCond_Always, ImVec2(centre_x, centre_y));
    ImGui::SetNextWindowBgAlpha(0.88f);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 8 * density);
    ImGui::Begin(name, nullptr, BARE | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoFocusOnAppearing | flags);
    ImGui::PopStyleVar();
}

} // namespace

void rill_gui_card_begin(const char *name, float x, float y, float centre_x, float centre_y) {
    begin_card(name, x, y, centre_x, centre_y, ImGuiWindowFlags_None);
    note_window();
}

void rill_gui_note_begin(const char *name, float x, float y, float centre_x, float centre_y) {
    begin_card(name, x, y, centre_x, centre_y, ImGuiWindowFlags_NoInputs);
}

void rill_gui_panel_end(void) {
    ImGui::End();
}

bool rill_gui_section(const char *label, bool open) {
    bool shown = ImGui::CollapsingHeader(label, open ? ImGuiTreeNodeFlags_DefaultOpen : ImGuiTreeNodeFlags_None);
    note_item(label);
    return shown;
}

float rill_gui_em(void) {
    return ImGui::GetFontSize();
}

float rill_gui_width(void) {
    return ImGui::GetContentRegionAvail().x;
}

/* ----------------------------------------------------------------------------------------------------------- items */

void rill_gui_text(uint32_t colour, const char *text) {
    ImGui::PushStyleColor(ImGuiCol_Text, colour_of(colour));
    ImGui::TextUnformatted(text);
    ImGui::PopStyleColor();
}

void rill_gui_title(const char *text) {
    ImGui::PushFont(title_font);
    ImGui::TextUnformatted(text);
    ImGui::PopFont();
}

void rill_gui_same_line(float x) {
    ImGui::SameLine(x);
}

void rill_gui_gap(void) {
    ImGui::Dummy(ImVec2(0, 0.3f * ImGui::GetFontSize()));
}

void rill_gui_hint(const char *text) {
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", text);
}

bool rill_gui_button(const char *label) {
    bool pressed = ImGui::Button(label);
    note_item(label);
    return pressed;
}

bool rill_gui_combo(const char *label, int *value, const char *const *names, int count) {
    bool changed = false;
    ImGui::SetNextItemWidth(0.55f * ImGui::GetContentRegionAvail().x);
    bool open = ImGui::BeginCombo(label, *value >= 0 && *value < count ? names[*value] : "");
    note_item(label);
    if (open) note_window();
    for (int i = 0; open && i < count; ++i) {
        if (ImGui::Selectable(names[i], i == *value)) {
            changed = i != *value;
            *value = i;
        }
        note_item(names[i]);
    }
    if (open) ImGui::EndCombo();
    return changed;
}

bool rill_gui_slider(const char *label, double *value, double low, double high, bool logarithmic, const char *format) {
    ImGui::SetNextItemWidth(0.55f * ImGui::GetContentRegionAvail().x);
    bool changed = ImGui::SliderScalar(label, ImGuiDataType_Double, value, &low, &high, format,
                                       ImGuiSliderFlags_AlwaysClamp |
                                           (logarithmic ? ImGuiSliderFlags_Logarithmic : ImGuiSliderFlags_None));
    /* The label to the right is part of the item; the bar alone is what can be grabbed. */
    note_item(label);
    items[std::max(item_count - 1, 0)].rectangle.z =
        ImGui::GetItemRectMin().x + 0.55f * (ImGui::GetContentRegionAvail().x);
    return changed;
}

bool rill_gui_pad(const char *label, float size, double knob[2]) {
    ImVec2 at = ImGui::GetCursorScreenPos(), middle(at.x + size / 2, at.y + size / 2);
    float reach = 0.42f * size;
    ImGui::InvisibleButton(label, ImVec2(size, size));
    note_item(label);
    bool held = ImGui::IsItemActive();
    if (held) {
        ImVec2 mouse = ImGui::GetIO().MousePos;
        knob[0] = double(std::min(std::max((mouse.x - middle.x) / reach, -1.0f), 1.0f));
        knob[1] = double(std::min(std::max((middle.y - mouse.y) / reach, -1.0f), 1.0f));
    }
    ImDrawList *draw = ImGui::GetWindowDrawList();
    draw->AddCircleFilled(middle, 0.48f * size, packed(0x2d343a), 48);
    draw->AddCircle(middle, reach / 2, packed(0x4a555e), 48, density);
    draw->AddLine(ImVec2(middle.x - reach, middle.y), ImVec2(middle.x + reach, middle.y), packed(0x4a555e), density);
    draw->AddLine(ImVec2(middle.x, middle.y - reach), ImVec2(middle.x, middle.y + reach), packed(0x4a555e), density);
    ImVec2 point(middle.x + float(knob[0]) * reach, middle.y - float(knob[1]) * reach);
    draw->AddLine(middle, point, packed(0x5fb4dc), 2 * density);
    draw->AddCircleFilled(point, 0.06f * size, packed(held || ImGui::IsItemHovered() ? 0x8fd0f0 : 0x5fb4dc), 24);
    return held;
}

void rill_gui_progress(double share, const char *text) {
    ImGui::ProgressBar(float(share), ImVec2(-1, 0), text);
}

bool rill_gui_picture(const char *label, unsigned texture, float width, float height) {
    ImVec2 at = ImGui::GetCursorScreenPos(), end(at.x + width, at.y + height);
    float line = ImGui::GetFontSize() * 1.6f, round = 6 * density;
    bool pressed = ImGui::InvisibleButton(label, ImVec2(width, height + line));
    note_item(label);
    bool near = ImGui::IsItemHovered();
    ImDrawList *draw = ImGui::GetWindowDrawList();
    if (texture) {
        draw->AddImageRounded((ImTextureID)(uintptr_t)texture, at, end, ImVec2(0, 0), ImVec2(1, 1), IM_COL32_WHITE,
                              round);
    } else {
        draw->AddRectFilled(at, end, packed(0x272d32), round);
    }
    draw->AddRect(at, end, packed(near ? 0x8fd0f0 : 0x3a444c), round, 0, (near ? 2.5f : 1.0f) * density);
    draw->AddText(ImVec2(at.x + 4 * density, end.y + 0.25f * line), packed(near ? 0xffffff : RILL_GUI_TEXT), label);
    return pressed;
}

/* ------------------------------------------------------------------------------------------------------------ plot */

namespace {

float value_at(const rill_gui_line &line, int i, int count, int start) {
    return line.values[(start + i) % count];
}

double highest(const rill_gui_line *lines, int line_count, int count, int start, bool stacked) {
    double top = 0;
    for (int i = 0; i < count; ++i) {
        double sum = 0;
        for (int k = 0; k < line_count; ++k) {
            double value = double(value_at(lines[k], i, count, start));
            sum = stacked ? sum + value : std::max(sum, value);
        }
        top = std::max(top, sum);
    }
    return top;
}

/* 1, 2 or 5 times a power of ten, not below the value: axes that do not jump with every frame. */
double round_up(double value) {
    double power = 1e-12;
    while (power * 10 <= value) power *= 10;
    for (double step : { 1.0, 2.0, 5.0 })
        if (power * step >= value) return power * step;
    return power * 10;
}

} // namespace

void rill_gui_plot(const char *label, const rill_gui_line *lines, int line_count, int count, int start, bool stacked,
                   const char *unit, double least_top, float lines_high) {
    float em = ImGui::GetFontSize(), width = ImGui::GetContentRegionAvail().x, height = lines_high * em;
    double top = round_up(std::max(highest(lines, line_count, count, start, stacked), least_top));
    rill_gui_text(RILL_GUI_DIM, label);
    char text[96];
    std::snprintf(text, sizeof text, "%g %s", top, unit);
    ImGui::SameLine(ImGui::GetWindowContentRegionMax().x - ImGui::CalcTextSize(text).x);
    rill_gui_text(RILL_GUI_DIM, text);
    ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::Dummy(ImVec2(width, height));
    note_item(label);
    ImDrawList *draw = ImGui::GetWindowDrawList();
    draw->AddRectFilled(at, ImVec2(at.x + width, at.y + height), packed(0x14171a), 4 * density);
    float below[512] = { 0 };
    int drawn = std::min(count, 512);
    for (int k = 0; k < line_count; ++k) {
        ImVec2 before;
        for (int i = 0; i < drawn; ++i) {
            float value = value_at(lines[k], i, count, start) + (stacked ? below[i] : 0);
            ImVec2 point(at.x + width * float(i) / float(std::max(drawn - 1, 1)),
                         at.y + height * (1 - std::min(float(double(value) / top), 1.0f)));
            if (i > 0) draw->AddLine(before, point, packed(lines[k].colour), 1.6f * density);
            before = point;
            below[i] = value;
        }
    }
    for (int k = 0; k < line_count && line_count > 1; ++k) {
        std::snprintf(text, sizeof text, "%s %.2f", lines[k].name, double(value_at(lines[k], count - 1, count, start)));
        float wide = ImGui::CalcTextSize(text).x;
        if (k > 0 &&
            ImGui::GetItemRectMax().x + wide + em < ImGui::GetWindowPos().x + ImGui::GetWindowContentRegionMax().x)
            ImGui::SameLine();
        rill_gui_text(lines[k].colour, text);
    }
}
