// The layer plays a device that shares buffers with OpenGL, which no CPU's driver does: acquiring copies from
// OpenGL's buffer to OpenCL's, and releasing copies back, so that work between the two sees what a device
// that shares would show it.
//
// OpenGL's functions are those of the program; its context is current on the thread that enqueues.

#define _GNU_SOURCE
#include "layer.h"
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define EXTENSION " cl_khr_gl_sharing"
#define GL_ARRAY_BUFFER 0x8892
#define GL_BUFFER_SIZE 0x8764
#define GL(result, name, ...) ((result(*)(__VA_ARGS__))dlsym(RTLD_DEFAULT, name))

enum { MOST = 64 };
static struct { cl_mem memory; unsigned buffer; } buffers[MOST];
static int count;

cl_int shared_extensions(cl_device_id device, size_t size, void *value, size_t *needed) {
  size_t length = 0;
  cl_int error = next.clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, 0, NULL, &length);
  if (error != CL_SUCCESS) return error;
  if (needed != NULL) *needed = length + strlen(EXTENSION);
  if (value == NULL) return CL_SUCCESS;
  if (size < length + strlen(EXTENSION)) return CL_INVALID_VALUE;
  error = next.clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, size, value, NULL);
  strcat(value, EXTENSION);
  return error;
}

// The driver would refuse them. A context without OpenGL's has no such object.
const cl_context_properties *shared_properties(const cl_context_properties *properties) {
  static cl_context_properties rest[16];
  int i = 0;
  for (; properties != NULL && properties[0] != 0; properties += 2)
    if (properties[0] == CL_CONTEXT_PLATFORM) rest[i++] = properties[0], rest[i++] = properties[1];
  rest[i] = 0;
  return i == 0 ? NULL : rest;
}

static long size_of(unsigned buffer) {
  int size = 0;
  GL(void, "glBindBuffer", unsigned, unsigned)(GL_ARRAY_BUFFER, buffer);
  GL(void, "glGetBufferParameteriv", unsigned, unsigned, int *)(GL_ARRAY_BUFFER, GL_BUFFER_SIZE, &size);
  return size;
}

static cl_mem CL_API_CALL my_clCreateFromGLBuffer(cl_context context, cl_mem_flags flags, cl_GLuint buffer, int *error) {
  const cl_int failure = called(NULL, __func__);
  const int is_buffer = GL(unsigned char, "glIsBuffer", unsigned)(buffer);
  if (failure != CL_SUCCESS || !is_buffer || count == MOST) {
    *error = failure != CL_SUCCESS ? failure : CL_INVALID_GL_OBJECT;
    return NULL;
  }
  cl_mem memory = next.clCreateBuffer(context, flags, size_of(buffer), NULL, error);
  if (memory != NULL) {
    ++layer.created[MEMORY];
    buffers[count].memory = memory;
    buffers[count++].buffer = buffer;
  }
  return memory;
}

// Copies one way between both kinds of buffers.
static cl_int copy(cl_command_queue queue, cl_mem memory, int acquire) {
  int i = count - 1;
  while (i >= 0 && buffers[i].memory != memory) --i;
  if (i < 0) return CL_INVALID_GL_OBJECT;
  const long size = size_of(buffers[i].buffer);
  void *bytes = malloc(size);
  cl_int error = CL_SUCCESS;
  if (acquire) {
    GL(void, "glGetBufferSubData", unsigned, long, long, void *)(GL_ARRAY_BUFFER, 0, size, bytes);
    error = next.clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, size, bytes, 0, NULL, NULL);
  } else {
    error = next.clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, size, bytes, 0, NULL, NULL);
    GL(void, "glBufferSubData", unsigned, long, long, const void *)(GL_ARRAY_BUFFER, 0, size, bytes);
  }
  free(bytes);
  return error;
}

static cl_int both(const char *name, int acquire, cl_command_queue queue, cl_uint objects, const cl_mem *memory,
                   cl_uint waiting, const cl_event *waits, cl_event *event) {
  cl_int error = called(NULL, name);
  if (error != CL_SUCCESS) return error;
  if (fails(queue, acquire ? 'A' : 'R', waiting, waits)) error = failed(queue, CL_FALSE, event);
  else {
    if (waiting > 0) error = next.clWaitForEvents(waiting, waits);
    for (cl_uint i = 0; i < objects && error == CL_SUCCESS; ++i) error = copy(queue, memory[i], acquire);
    if (error == CL_SUCCESS) error = next.clEnqueueMarkerWithWaitList(queue, 0, NULL, event);
  }
  if (error == CL_SUCCESS && event != NULL) ++layer.created[EVENT];
  return error;
}
static cl_int CL_API_CALL my_clEnqueueAcquireGLObjects(cl_command_queue queue, cl_uint objects, const cl_mem *memory,
                                                       cl_uint waiting, const cl_event *waits, cl_event *event) {
  return both(__func__, 1, queue, objects, memory, waiting, waits, event);
}
static cl_int CL_API_CALL my_clEnqueueReleaseGLObjects(cl_command_queue queue, cl_uint objects, const cl_mem *memory,
                                                       cl_uint waiting, const cl_event *waits, cl_event *event) {
  return both(__func__, 0, queue, objects, memory, waiting, waits, event);
}

void share(cl_icd_dispatch *dispatch) {
  dispatch->clCreateFromGLBuffer = my_clCreateFromGLBuffer;
  dispatch->clEnqueueAcquireGLObjects = my_clEnqueueAcquireGLObjects;
  dispatch->clEnqueueReleaseGLObjects = my_clEnqueueReleaseGLObjects;
}
