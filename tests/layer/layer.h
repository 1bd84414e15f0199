// What a program and the layer tell each other, and what the layer's two files have in common.
#pragma once

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl_layer.h>

// clGetPlatformInfo answers this with the address of the `struct layer`, on any platform.
#define LAYER_STATE 0x57A7E

enum object { DEVICE, CONTEXT, QUEUE, MEMORY, PROGRAM, KERNEL, EVENT, OBJECTS };

// tests/layer/mod.rs has the same. Numbers count from 1; 0 is none.
struct layer {
  // Set by the program: which call fails; from which call on all fail, releases included; which command ends with a
  // negative status; and the device whose calls and commands alone are counted and fail, if not all.
  _Atomic long call, lost, command;
  _Atomic(cl_device_id) device;
  // Set by the program: whether programs do not build; whether devices share with OpenGL; whether of each kernel only
  // the first two thirds of its work-groups run.
  _Atomic long spoil, sharing, cut;
  // Counted by the layer.
  _Atomic long calls, commands;
  _Atomic long created[OBJECTS], retained[OBJECTS], released[OBJECTS];
  // The queue in which a command failed that has no event.
  _Atomic(cl_command_queue) broken;
  // The function whose call failed, the first one of a lost device.
  _Atomic(const char *) failed;
  // What was enqueued, a letter each: Acquire, Release, Kernel, copies From and To the host and on the Device,
  // Zeros, maP, Unmap, Marker; if it failed, `!` too.
  _Atomic long recorded;
  char record[256];
};

extern struct layer layer;
extern cl_icd_dispatch next; // the driver's functions, or those of the next layer

// layer.c: counts a call of a device, and says how it fails, if it does; records a command, and says
// whether it fails; fails it.
cl_int called(cl_device_id device, const char *name);
int fails(cl_command_queue queue, char letter, cl_uint count, const cl_event *waits);
cl_int failed(cl_command_queue queue, cl_bool blocking, cl_event *event);

// sharing.c: what a device says that shares, a context's properties without OpenGL's, and the functions.
cl_int shared_extensions(cl_device_id device, size_t size, void *value, size_t *needed);
const cl_context_properties *shared_properties(const cl_context_properties *properties);
void share(cl_icd_dispatch *dispatch);
