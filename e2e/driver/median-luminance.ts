import type { Page } from '@playwright/test';

/** 0 (black) to 255. A mark or line does not count. */
export async function medianLuminance(page: Page, png: Buffer): Promise<number> {
  return page.evaluate(
    async (source) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext('2d');
      if (!context) throw new Error('no canvas');
      context.drawImage(image, 0, 0);
      const { data } = context.getImageData(0, 0, image.width, image.height);
      const luminances: number[] = [];
      for (let at = 0; at < data.length; at += 4) {
        const [red = 0, green = 0, blue = 0] = data.subarray(at, at + 3);
        luminances.push(0.2126 * red + 0.7152 * green + 0.0722 * blue);
      }
      return luminances.sort((a, b) => a - b)[Math.floor(luminances.length / 2)] ?? 0;
    },
    `data:image/png;base64,${png.toString('base64')}`,
  );
}
