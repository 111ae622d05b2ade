/** Content of a trace that is not what was stored: its file is gone or too short, or it fails its checksum. */
export class DamagedContent extends Error {
  readonly file: string;
  readonly offset: number;

  constructor(place: { readonly file: string; readonly offset: number; readonly length: number }, because: string) {
    super(`store: ${place.length} bytes of content at ${place.offset} of ${place.file} are damaged: ${because}`);
    this.file = place.file;
    this.offset = place.offset;
  }
}
