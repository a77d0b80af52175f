/** In place of fflate, with which pmtiles inflates in browsers without DecompressionStream: Lookout's answers need that too. */
export function decompressSync(): never {
  throw new Error('this browser has no DecompressionStream');
}
