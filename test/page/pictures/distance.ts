/**
 * How much a picture differs from the accepted one, in an eighth of the size: the pixels whose luminance is visibly
 * another. Limits are from measurements, with Chromium 156, of all views in all looks (the least and the most of them):
 *
 *     made of                                                     most in a pixel   pixels beyond 48
 *     the same again                                              0                 0
 *     other smoothing: full hinting, no subpixels of LCDs         0–2               0
 *     letters at whole pixels, and no hinting                     0–57              0, on two phones 24 and 66
 *     another font, without the font of boxes                     128–226           230–3031
 *     a button of the bar is gone                                 109–142           7–79
 *     a filter is gone                                            113–226           10–2465
 *     a padding of the bar is doubled                             136–161           22–48
 *     a padding of sections is doubled                            165–226           649–4304
 *     a heading lies 20 px lower, over others                     91–202            20–298
 *     a column of a table is gone                                 90–188            32–1462
 *     a column is 400 px wide, and others are pushed out          93–190            30–1295
 *     the side pane is gone                                       190–191           551–4713
 *     all of a view 4 px further to the right                     93–114            60–438
 *     quiet text as dark as other text                            49–57             3–99
 *
 * A colour of the same luminance is not seen.
 */
import type { GreyPicture } from './png.ts';

const VISIBLE = 48;
export const PIXELS_MAX = 4;

export function pixelsApart(one: GreyPicture, other: GreyPicture): number {
  if (one.width !== other.width || one.height !== other.height) return one.grey.length;
  return one.grey.filter((value, at) => Math.abs(value - (other.grey[at] ?? 0)) > VISIBLE).length;
}

/** Black where both are the same, in the size of the window. */
export function differenceOf(one: GreyPicture, other: GreyPicture, scale: number): GreyPicture {
  const [width, height] = [one.width * scale, one.height * scale];
  const grey = Uint8Array.from({ length: width * height }, (_, at) => {
    const small = Math.floor(Math.floor(at / width) / scale) * one.width + Math.floor((at % width) / scale);
    return Math.min(255, 2 * Math.abs((one.grey[small] ?? 0) - (other.grey[small] ?? 0)));
  });
  return { width, height, grey };
}
