/** The first byte of a frame: its kind and the version of the whole format. Another version takes other bytes. */
export const FULL_FRAME = 0xf1;
export const DELTA_FRAME = 0xd1;

export type FrameKind = typeof FULL_FRAME | typeof DELTA_FRAME;
