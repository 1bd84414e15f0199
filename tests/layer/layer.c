// An OpenCL layer that makes calls and commands fail, and counts what is made and given back: the loader puts it
// between a program and its drivers where OPENCL_LAYERS names it. cc -shared -fPIC -o layer.so layer.c sharing.c
//
// `struct layer` says what fails and what was counted. A program finds it by clGetPlatformInfo(LAYER_STATE); for
// programs that do not, LAYER_CALL, LAYER_LOST and LAYER_COMMAND in the environment set the fields of these names.

#include "layer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct layer layer;
cl_icd_dispatch next;
static cl_icd_dispatch ours;

// The device of a handle, as the driver knows it; none where there is not one alone.
static cl_device_id of_device(cl_device_id device) { return device; }
static cl_device_id of_platform(cl_platform_id platform) { (void)platform; return NULL; }
static cl_device_id of_context(cl_context context) {
  cl_device_id device = NULL;
  next.clGetContextInfo(context, CL_CONTEXT_DEVICES, sizeof device, &device, NULL);
  return device;
}
static cl_device_id of_queue(cl_command_queue queue) {
  cl_device_id device = NULL;
  next.clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
  return device;
}
#define OF(object, handle, info, query)                                       \
  static cl_device_id of_##object(handle object) {                            \
    cl_context context = NULL;                                                \
    next.info(object, query, sizeof context, &context, NULL);                 \
    return context ? of_context(context) : NULL;                              \
  }
OF(mem, cl_mem, clGetMemObjectInfo, CL_MEM_CONTEXT)
OF(program, cl_program, clGetProgramInfo, CL_PROGRAM_CONTEXT)
OF(kernel, cl_kernel, clGetKernelInfo, CL_KERNEL_CONTEXT)
OF(event, cl_event, clGetEventInfo, CL_EVENT_CONTEXT)
#define DEVICE(handle)                                                        \
  (layer.device == NULL ? NULL : _Generic((handle), cl_device_id: of_device,  \
     cl_platform_id: of_platform, cl_context: of_context,                     \
     cl_command_queue: of_queue, cl_mem: of_mem, cl_program: of_program,      \
     cl_kernel: of_kernel, cl_event: of_event)(handle))

// Counts a call, and says how it fails, if it does.
cl_int called(cl_device_id device, const char *name) {
  if (layer.device != NULL && layer.device != device) return CL_SUCCESS;
  const long number = ++layer.calls;
  if (number == layer.call || number == layer.lost) layer.failed = name;
  if (layer.lost != 0 && number >= layer.lost) return CL_DEVICE_NOT_AVAILABLE;
  return number == layer.call ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

static void record(char letter) {
  const long place = layer.recorded++;
  if (place < (long)sizeof layer.record) layer.record[place] = letter;
}

// Whether a command is one that fails, or waits for one that did. It is not carried out. The event of its end, if it
// has one, is there already, and has failed; if it has none, neither are the commands behind it carried out, up to the
// first one that can say so.
int fails(cl_command_queue queue, char letter, cl_uint count, const cl_event *waits) {
  if (layer.device != NULL && layer.device != of_queue(queue)) return 0;
  if (++layer.commands == layer.command) layer.broken = queue;
  for (cl_uint i = 0; i < count; ++i) {
    cl_int status = CL_COMPLETE;
    next.clGetEventInfo(waits[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
    if (status < 0) layer.broken = queue;
  }
  record(letter);
  if (layer.broken == queue) record('!');
  return layer.broken == queue;
}

cl_int failed(cl_command_queue queue, cl_bool blocking, cl_event *event) {
  if (event == NULL && !blocking) return CL_SUCCESS;
  layer.broken = NULL;
  if (blocking) return CL_OUT_OF_RESOURCES;
  cl_context context = NULL;
  next.clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
  *event = next.clCreateUserEvent(context, NULL);
  return next.clSetUserEventStatus(*event, CL_OUT_OF_RESOURCES);
}

// A call that is passed on; `handle` is of the device that it is for.
#define CALL(name, handle, parameters, arguments)                             \
  static cl_int CL_API_CALL my_##name parameters {                            \
    const cl_int error = called(DEVICE(handle), __func__);                              \
    return error != CL_SUCCESS ? error : next.name arguments;                 \
  }
// One that makes an object.
#define MAKE(type, name, object, handle, parameters, arguments)               \
  static type CL_API_CALL my_##name parameters {                              \
    const cl_int failure = called(DEVICE(handle), __func__);                            \
    if (failure != CL_SUCCESS) {                                              \
      if (error != NULL) *error = failure;                                    \
      return NULL;                                                            \
    }                                                                         \
    type made = next.name arguments;                                          \
    if (made != NULL) ++layer.created[object];                                \
    return made;                                                              \
  }
// The two that keep an object. A release that fails gives the object back all the same, here and in the driver:
// contexts that were left there would fill the memory of a GPU, for other programs too.
#define KEEP(type, object, retain, release)                                   \
  static cl_int CL_API_CALL my_##retain(type handle) {                        \
    cl_int error = called(DEVICE(handle), __func__);                                    \
    if (error == CL_SUCCESS) error = next.retain(handle);                     \
    if (error == CL_SUCCESS) ++layer.retained[object];                        \
    return error;                                                             \
  }                                                                           \
  static cl_int CL_API_CALL my_##release(type handle) {                       \
    ++layer.released[object];                                                 \
    const cl_int failure = called(DEVICE(handle), __func__);                  \
    const cl_int error = next.release(handle);                                \
    return failure != CL_SUCCESS ? failure : error;                           \
  }
// A command, which may have an event.
#define COMMAND(name, letter, blocking, parameters, arguments)                        \
  static cl_int CL_API_CALL my_##name parameters {                            \
    cl_int error = called(DEVICE(queue), __func__);                                     \
    if (error == CL_SUCCESS)                                                  \
      error = fails(queue, letter, count, waits)                              \
                  ? failed(queue, blocking, event)                            \
                  : next.name arguments;                                      \
    if (error == CL_SUCCESS && event != NULL) ++layer.created[EVENT];         \
    return error;                                                             \
  }
#define WAITS cl_uint count, const cl_event *waits, cl_event *event
#define INFO cl_uint what, size_t size, void *value, size_t *needed

static cl_int CL_API_CALL my_clGetPlatformIDs(cl_uint count, cl_platform_id *platforms, cl_uint *found) {
  const cl_int error = called(NULL, __func__);
  return error != CL_SUCCESS ? error : next.clGetPlatformIDs(count, platforms, found);
}
static cl_int CL_API_CALL my_clGetPlatformInfo(cl_platform_id platform, INFO) {
  if (what == LAYER_STATE) {
    struct layer *state = &layer;
    if (needed != NULL) *needed = sizeof state;
    if (value != NULL) memcpy(value, &state, sizeof state);
    return CL_SUCCESS;
  }
  const cl_int error = called(DEVICE(platform), __func__);
  return error != CL_SUCCESS ? error : next.clGetPlatformInfo(platform, what, size, value, needed);
}
CALL(clGetDeviceIDs, platform,
     (cl_platform_id platform, cl_device_type type, cl_uint count, cl_device_id *devices, cl_uint *found),
     (platform, type, count, devices, found))
static cl_int CL_API_CALL my_clGetDeviceInfo(cl_device_id device, INFO) {
  const cl_int error = called(DEVICE(device), __func__);
  if (error != CL_SUCCESS) return error;
  if (layer.sharing && what == CL_DEVICE_EXTENSIONS) return shared_extensions(device, size, value, needed);
  return next.clGetDeviceInfo(device, what, size, value, needed);
}
CALL(clCreateSubDevices, device,
     (cl_device_id device, const cl_device_partition_property *how, cl_uint count, cl_device_id *devices, cl_uint *found),
     (device, how, count, devices, found))
static cl_context CL_API_CALL my_clCreateContext(const cl_context_properties *properties, cl_uint count,
                                                 const cl_device_id *devices,
                                                 void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *),
                                                 void *data, cl_int *error) {
  const cl_int failure = called(DEVICE(devices[0]), __func__);
  cl_context made = NULL;
  if (failure != CL_SUCCESS) {
    if (error != NULL) *error = failure;
  } else {
    const cl_context_properties *rest = layer.sharing ? shared_properties(properties) : properties;
    made = next.clCreateContext(rest, count, devices, notify, data, error);
  }
  if (made != NULL) ++layer.created[CONTEXT];
  return made;
}
CALL(clGetContextInfo, context, (cl_context context, INFO), (context, what, size, value, needed))
MAKE(cl_command_queue, clCreateCommandQueue, QUEUE, device,
     (cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int *error),
     (context, device, properties, error))
CALL(clGetCommandQueueInfo, queue, (cl_command_queue queue, INFO), (queue, what, size, value, needed))
MAKE(cl_mem, clCreateBuffer, MEMORY, context,
     (cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *error),
     (context, flags, size, host, error))
CALL(clGetMemObjectInfo, memory, (cl_mem memory, INFO), (memory, what, size, value, needed))
// One string is what the library passes.
MAKE(cl_program, clCreateProgramWithSource, PROGRAM, context,
     (cl_context context, cl_uint count, const char **strings, const size_t *lengths, cl_int *error),
     (context, layer.spoil ? 2 : count, layer.spoil ? (const char *[]){strings[0], "#error spoiled\n"} : strings,
      layer.spoil ? (size_t[]){lengths[0], 15} : lengths, error))
CALL(clBuildProgram, program,
     (cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
      void(CL_CALLBACK *notify)(cl_program, void *), void *data),
     (program, count, devices, options, notify, data))
CALL(clGetProgramInfo, program, (cl_program program, INFO), (program, what, size, value, needed))
CALL(clGetProgramBuildInfo, device, (cl_program program, cl_device_id device, INFO),
     (program, device, what, size, value, needed))
MAKE(cl_kernel, clCreateKernel, KERNEL, program, (cl_program program, const char *name, cl_int *error),
     (program, name, error))
CALL(clSetKernelArg, kernel, (cl_kernel kernel, cl_uint index, size_t size, const void *value),
     (kernel, index, size, value))
CALL(clGetKernelInfo, kernel, (cl_kernel kernel, INFO), (kernel, what, size, value, needed))
CALL(clGetKernelWorkGroupInfo, kernel, (cl_kernel kernel, cl_device_id device, INFO),
     (kernel, device, what, size, value, needed))
CALL(clGetKernelSubGroupInfoKHR, kernel,
     (cl_kernel kernel, cl_device_id device, cl_kernel_sub_group_info what, size_t given, const void *input, size_t size,
      void *value, size_t *needed),
     (kernel, device, what, given, input, size, value, needed))
// The function is the driver's own, whose calls are not counted.
static void *CL_API_CALL my_clGetExtensionFunctionAddressForPlatform(cl_platform_id platform, const char *name) {
  if (called(DEVICE(platform), __func__) != CL_SUCCESS) return NULL;
  return next.clGetExtensionFunctionAddressForPlatform(platform, name);
}
CALL(clWaitForEvents, events[0], (cl_uint count, const cl_event *events), (count, events))
CALL(clGetEventInfo, event, (cl_event event, INFO), (event, what, size, value, needed))
CALL(clGetEventProfilingInfo, event, (cl_event event, INFO), (event, what, size, value, needed))
CALL(clFlush, queue, (cl_command_queue queue), (queue))
static cl_int CL_API_CALL my_clFinish(cl_command_queue queue) {
  cl_int error = called(DEVICE(queue), __func__);
  if (error == CL_SUCCESS) error = next.clFinish(queue);
  if (error == CL_SUCCESS && layer.broken == queue) error = failed(queue, CL_TRUE, NULL);
  return error;
}
KEEP(cl_context, CONTEXT, clRetainContext, clReleaseContext)
KEEP(cl_command_queue, QUEUE, clRetainCommandQueue, clReleaseCommandQueue)
KEEP(cl_mem, MEMORY, clRetainMemObject, clReleaseMemObject)
KEEP(cl_program, PROGRAM, clRetainProgram, clReleaseProgram)
KEEP(cl_kernel, KERNEL, clRetainKernel, clReleaseKernel)
KEEP(cl_event, EVENT, clRetainEvent, clReleaseEvent)
KEEP(cl_device_id, DEVICE, clRetainDevice, clReleaseDevice)
COMMAND(clEnqueueReadBuffer, 'T', blocking,
        (cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset, size_t size, void *host, WAITS),
        (queue, memory, blocking, offset, size, host, count, waits, event))
COMMAND(clEnqueueWriteBuffer, 'F', blocking,
        (cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset, size_t size, const void *host, WAITS),
        (queue, memory, blocking, offset, size, host, count, waits, event))
#define RECTANGLE                                                             \
  const size_t *first, const size_t *host_first, const size_t *region, size_t row, size_t plane, size_t host_row,           \
      size_t host_plane
COMMAND(clEnqueueReadBufferRect, 'T', blocking,
        (cl_command_queue queue, cl_mem memory, cl_bool blocking, RECTANGLE, void *host, WAITS),
        (queue, memory, blocking, first, host_first, region, row, plane, host_row, host_plane, host, count, waits, event))
COMMAND(clEnqueueWriteBufferRect, 'F', blocking,
        (cl_command_queue queue, cl_mem memory, cl_bool blocking, RECTANGLE, const void *host, WAITS),
        (queue, memory, blocking, first, host_first, region, row, plane, host_row, host_plane, host, count, waits, event))
COMMAND(clEnqueueCopyBuffer, 'D', CL_FALSE,
        (cl_command_queue queue, cl_mem from, cl_mem to, size_t first, size_t to_first, size_t size, WAITS),
        (queue, from, to, first, to_first, size, count, waits, event))
COMMAND(clEnqueueCopyBufferRect, 'D', CL_FALSE,
        (cl_command_queue queue, cl_mem from, cl_mem to, const size_t *first, const size_t *to_first, const size_t *region,
         size_t row, size_t plane, size_t to_row, size_t to_plane, WAITS),
        (queue, from, to, first, to_first, region, row, plane, to_row, to_plane, count, waits, event))
COMMAND(clEnqueueFillBuffer, 'Z', CL_FALSE,
        (cl_command_queue queue, cl_mem memory, const void *pattern, size_t length, size_t offset, size_t size, WAITS),
        (queue, memory, pattern, length, offset, size, count, waits, event))
// What runs of a kernel.
static const size_t *all_or_part(cl_uint dimensions, const size_t *global, const size_t *local) {
  static _Thread_local size_t part[3];
  if (!layer.cut) return global;
  memcpy(part, global, dimensions * sizeof *global);
  const size_t groups = global[0] / local[0];
  part[0] = (groups - groups / 3) * local[0];
  return part;
}
COMMAND(clEnqueueNDRangeKernel, 'K', CL_FALSE,
        (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset, const size_t *global,
         const size_t *local, WAITS),
        (queue, kernel, dimensions, offset, all_or_part(dimensions, global, local), local, count, waits, event))
static void *CL_API_CALL my_clEnqueueMapBuffer(cl_command_queue queue, cl_mem memory, cl_bool blocking, cl_map_flags flags,
                                               size_t offset, size_t size, WAITS, cl_int *error) {
  void *mapped = &layer; // where the command fails: nothing is there, and unmapping fails with it
  *error = called(DEVICE(queue), __func__);
  if (*error == CL_SUCCESS) {
    if (fails(queue, 'P', count, waits))
      *error = failed(queue, blocking, event);
    else
      mapped = next.clEnqueueMapBuffer(queue, memory, blocking, flags, offset, size, count, waits, event, error);
  }
  if (*error == CL_SUCCESS && event != NULL) ++layer.created[EVENT];
  return *error == CL_SUCCESS ? mapped : NULL;
}
COMMAND(clEnqueueUnmapMemObject, 'U', CL_FALSE, (cl_command_queue queue, cl_mem memory, void *mapped, WAITS),
        (queue, memory, mapped, count, waits, event))
COMMAND(clEnqueueMarkerWithWaitList, 'M', CL_FALSE, (cl_command_queue queue, WAITS), (queue, count, waits, event))

static void unknown(void) {
  fputs("the layer knows nothing of this OpenCL function\n", stderr);
  abort();
}

CL_API_ENTRY cl_int CL_API_CALL clGetLayerInfo(cl_layer_info what, size_t size, void *value, size_t *needed) {
  const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
  if (what != CL_LAYER_API_VERSION || (value != NULL && size < sizeof version)) return CL_INVALID_VALUE;
  if (needed != NULL) *needed = sizeof version;
  if (value != NULL) memcpy(value, &version, sizeof version);
  return CL_SUCCESS;
}

static long number(const char *name) {
  const char *text = getenv(name);
  return text == NULL ? 0 : atol(text);
}

CL_API_ENTRY cl_int CL_API_CALL clInitLayer(cl_uint count, const cl_icd_dispatch *target, cl_uint *found,
                                            const cl_icd_dispatch **dispatch) {
  const size_t entries = sizeof ours / sizeof(void *);
  memcpy(&next, target, (count < entries ? count : entries) * sizeof(void *));
  // A function that is not here must not go uncounted.
  for (size_t i = 0; i < entries; ++i) ((void (**)(void))&ours)[i] = unknown;
#define SET(name) ours.name = my_##name
  SET(clGetPlatformIDs), SET(clGetPlatformInfo), SET(clGetDeviceIDs), SET(clGetDeviceInfo), SET(clCreateSubDevices);
  SET(clRetainDevice), SET(clReleaseDevice);
  SET(clCreateContext), SET(clGetContextInfo), SET(clRetainContext), SET(clReleaseContext);
  SET(clCreateCommandQueue), SET(clGetCommandQueueInfo), SET(clRetainCommandQueue), SET(clReleaseCommandQueue);
  SET(clCreateBuffer), SET(clGetMemObjectInfo), SET(clRetainMemObject), SET(clReleaseMemObject);
  SET(clCreateProgramWithSource), SET(clBuildProgram), SET(clGetProgramInfo), SET(clGetProgramBuildInfo);
  SET(clRetainProgram), SET(clReleaseProgram);
  SET(clCreateKernel), SET(clSetKernelArg), SET(clGetKernelInfo), SET(clGetKernelWorkGroupInfo);
  SET(clGetKernelSubGroupInfoKHR), SET(clGetExtensionFunctionAddressForPlatform);
  SET(clRetainKernel), SET(clReleaseKernel);
  SET(clWaitForEvents), SET(clGetEventInfo), SET(clGetEventProfilingInfo), SET(clRetainEvent), SET(clReleaseEvent);
  SET(clEnqueueReadBuffer), SET(clEnqueueWriteBuffer), SET(clEnqueueReadBufferRect), SET(clEnqueueWriteBufferRect);
  SET(clEnqueueCopyBuffer), SET(clEnqueueCopyBufferRect), SET(clEnqueueMapBuffer), SET(clEnqueueUnmapMemObject);
  SET(clEnqueueFillBuffer), SET(clEnqueueNDRangeKernel), SET(clEnqueueMarkerWithWaitList);
  SET(clFlush), SET(clFinish);
  // Events of the caller's own neither fail nor count.
  ours.clCreateUserEvent = next.clCreateUserEvent, ours.clSetUserEventStatus = next.clSetUserEventStatus;
  share(&ours);
  layer.call = number("LAYER_CALL");
  layer.lost = number("LAYER_LOST");
  layer.command = number("LAYER_COMMAND");
  *found = entries;
  *dispatch = &ours;
  return CL_SUCCESS;
}
