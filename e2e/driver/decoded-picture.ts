import type { Page } from '@playwright/test';

export class DecodedPicture {
  readonly width: number;
  readonly height: number;
  readonly #rgba: Buffer;

  private constructor(width: number, height: number, rgba: Buffer) {
    this.width = width;
    this.height = height;
    this.#rgba = rgba;
  }

  static async of(page: Page, file: Buffer): Promise<DecodedPicture> {
    const { width, height, base64 } = await page.evaluate(async (encoded) => {
      const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext('2d');
      context?.drawImage(image, 0, 0);
      const pixels = context?.getImageData(0, 0, image.width, image.height).data ?? new Uint8ClampedArray();
      let text = '';
      for (let at = 0; at < pixels.length; at += 30_000)
        text += String.fromCharCode(...pixels.subarray(at, at + 30_000));
      return { width: image.width, height: image.height, base64: btoa(text) };
    }, file.toString('base64'));
    return new DecodedPicture(width, height, Buffer.from(base64, 'base64'));
  }

  /** `rgb(255, 178, 36)` */
  colourAt(x: number, y: number): string {
    const at = 4 * (Math.round(y) * this.width + Math.round(x));
    return `rgb(${[...this.#rgba.subarray(at, at + 3)].join(', ')})`;
  }

  coloursBetween(top: number, bottom: number): number {
    const colours = new Set<number>();
    for (let at = 4 * top * this.width; at < 4 * bottom * this.width; at += 4) colours.add(this.#rgba.readUInt32LE(at));
    return colours.size;
  }
}
