// SPDX-License-Identifier: Apache-2.0

#ifndef CSYSTEMD_SHIM_H
#define CSYSTEMD_SHIM_H

#include <string.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>

/// Adds the two interfaces of an MPRIS player to a connection. Swift cannot write these tables, which are macros.
/// `get` is called for each property and `handle` for each method, with `data`.
static inline int csystemd_add_player(
    sd_bus *bus, const char *path, sd_bus_property_get_t get, sd_bus_message_handler_t handle, void *data) {
    const uint64_t constant = SD_BUS_VTABLE_PROPERTY_CONST, changing = SD_BUS_VTABLE_PROPERTY_EMITS_CHANGE;
    const sd_bus_vtable application[] = {
        SD_BUS_VTABLE_START(0),
        SD_BUS_PROPERTY("CanQuit", "b", get, 0, constant),
        SD_BUS_PROPERTY("CanRaise", "b", get, 0, constant),
        SD_BUS_PROPERTY("HasTrackList", "b", get, 0, constant),
        SD_BUS_PROPERTY("Identity", "s", get, 0, constant),
        SD_BUS_PROPERTY("DesktopEntry", "s", get, 0, constant),
        SD_BUS_PROPERTY("SupportedUriSchemes", "as", get, 0, constant),
        SD_BUS_PROPERTY("SupportedMimeTypes", "as", get, 0, constant),
        SD_BUS_METHOD("Raise", "", "", handle, SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_METHOD("Quit", "", "", handle, SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_VTABLE_END,
    };
    const sd_bus_vtable player[] = {
        SD_BUS_VTABLE_START(0),
        SD_BUS_PROPERTY("PlaybackStatus", "s", get, 0, changing),
        SD_BUS_PROPERTY("Metadata", "a{sv}", get, 0, changing),
        SD_BUS_PROPERTY("Position", "x", get, 0, 0),
        SD_BUS_PROPERTY("Rate", "d", get, 0, constant),
        SD_BUS_PROPERTY("MinimumRate", "d", get, 0, constant),
        SD_BUS_PROPERTY("MaximumRate", "d", get, 0, constant),
        SD_BUS_PROPERTY("Volume", "d", get, 0, constant),
        SD_BUS_PROPERTY("CanGoNext", "b", get, 0, changing),
        SD_BUS_PROPERTY("CanGoPrevious", "b", get, 0, constant),
        SD_BUS_PROPERTY("CanPlay", "b", get, 0, changing),
        SD_BUS_PROPERTY("CanPause", "b", get, 0, changing),
        SD_BUS_PROPERTY("CanSeek", "b", get, 0, constant),
        SD_BUS_PROPERTY("CanControl", "b", get, 0, changing),
        SD_BUS_METHOD("Next", "", "", handle, SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_METHOD("Previous", "", "", handle, SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_METHOD("Pause", "", "", handle, SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_METHOD("PlayPause", "", "", handle, SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_METHOD("Stop", "", "", handle, SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_METHOD("Play", "", "", handle, SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_METHOD("Seek", "x", "", handle, SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_METHOD("SetPosition", "ox", "", handle, SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_METHOD("OpenUri", "s", "", handle, SD_BUS_VTABLE_UNPRIVILEGED),
        SD_BUS_SIGNAL("Seeked", "x", 0),
        SD_BUS_VTABLE_END,
    };
    // The connection keeps the tables.
    static sd_bus_vtable kept[sizeof application / sizeof *application + sizeof player / sizeof *player];
    sd_bus_vtable *const rest = kept + sizeof application / sizeof *application;
    memcpy(kept, application, sizeof application);
    memcpy(rest, player, sizeof player);
    const int code = sd_bus_add_object_vtable(bus, NULL, path, "org.mpris.MediaPlayer2", kept, data);
    return code < 0 ? code : sd_bus_add_object_vtable(bus, NULL, path, "org.mpris.MediaPlayer2.Player", rest, data);
}

#endif
