/* Encodes a picture by OpenJPEG's public functions and prints the coefficients that its encoder computes on the way.

   openjpeg WIDTH HEIGHT LEVELS KIND FILE < samples > coefficients

   KIND is 53 or 97. Samples are signed 32-bit integers in the machine's order; so are the coefficients, or floats for
   97. The linker puts the two functions below between the codec and its own transform (--wrap), so nothing of the codec
   is changed. */

#include <openjpeg.h>
#include <stdio.h>
#include <stdlib.h>

/* How opj_tcd_tilecomp_t of OpenJPEG 2.5 begins; the header that has it is not installed. */
struct component {
    OPJ_INT32 x0, y0, x1, y1;
    OPJ_UINT32 number, resolution_count, least_resolution_count;
    void *resolutions;
    OPJ_UINT32 resolutions_size;
    OPJ_INT32 *data;
};

static void print(const struct component *tile)
{
    size_t count = (size_t)(tile->x1 - tile->x0) * (size_t)(tile->y1 - tile->y0);
    if (fwrite(tile->data, sizeof(OPJ_INT32), count, stdout) != count)
        exit(1);
}

OPJ_BOOL __real_opj_dwt_encode(void *tcd, struct component *tile);
OPJ_BOOL __wrap_opj_dwt_encode(void *tcd, struct component *tile)
{
    OPJ_BOOL ok = __real_opj_dwt_encode(tcd, tile);
    print(tile);
    return ok;
}

OPJ_BOOL __real_opj_dwt_encode_real(void *tcd, struct component *tile);
OPJ_BOOL __wrap_opj_dwt_encode_real(void *tcd, struct component *tile)
{
    OPJ_BOOL ok = __real_opj_dwt_encode_real(tcd, tile);
    print(tile);
    return ok;
}

static void complain(const char *message, void *unused)
{
    (void)unused;
    fprintf(stderr, "%s", message);
}

int main(int count, char **words)
{
    if (count != 6)
        return 2;
    opj_image_cmptparm_t component = {0};
    component.dx = component.dy = 1;
    component.w = (OPJ_UINT32)atoi(words[1]);
    component.h = (OPJ_UINT32)atoi(words[2]);
    /* Signed samples are not shifted to be so. The decoder clips to these bits. */
    component.prec = 16;
    component.sgnd = 1;
    opj_image_t *image = opj_image_create(1, &component, OPJ_CLRSPC_GRAY);
    image->x1 = component.w;
    image->y1 = component.h;
    size_t samples = (size_t)component.w * component.h;
    if (fread(image->comps[0].data, sizeof(OPJ_INT32), samples, stdin) != samples)
        return 2;

    opj_cparameters_t parameters;
    opj_set_default_encoder_parameters(&parameters);
    parameters.numresolution = atoi(words[3]) + 1;
    parameters.irreversible = atoi(words[4]) == 97;
    parameters.tcp_numlayers = 1;
    parameters.cp_disto_alloc = 1;
    opj_codec_t *codec = opj_create_compress(OPJ_CODEC_J2K);
    opj_set_error_handler(codec, complain, NULL);
    opj_stream_t *file = opj_stream_create_default_file_stream(words[5], OPJ_FALSE);
    OPJ_BOOL ok = opj_setup_encoder(codec, &parameters, image) && opj_start_compress(codec, image, file) &&
                  opj_encode(codec, file) && opj_end_compress(codec, file);
    opj_stream_destroy(file);
    return !ok || fclose(stdout) != 0;
}
