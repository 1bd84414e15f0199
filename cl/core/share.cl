// Which segment of which strip of a picture a sub-group has, where work-groups have some of them.

#include "core/exchange.cl"
#include "core/picture.cl"

#ifndef GROUP
#error "GROUP: work-items in a work-group"
#endif

// A work-group stays in one picture, so that all of it has the same pointers. Its last sub-groups may find no segment
// left: `segment` is then not less than their number.
typedef struct {
  int picture, segment, strip;
} Share;

static inline Share share_of(const int group, const int strips, const int segments) {
  const int sub_groups = GROUP / LANES, groups = (strips * segments + sub_groups - 1) / sub_groups;
  const int picture = SINGLE ? 0 : group / groups;
  const int number = (group - picture * groups) * sub_groups + (int)SUB_GROUP;
  const int segment = (uint)number / (uint)strips;
  const Share share = {picture, segment, number - segment * strips};
  return share;
}
