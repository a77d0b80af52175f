import type { Lookout } from '#lib/client/page/lookout.ts';
import type { MapPixels } from '#lib/client/page/map-commands.ts';
import { drawPictureSheet } from './draw-picture-sheet.ts';
import { type PictureText, pictureFileName, pictureText } from './picture-text.ts';

export interface TakenPicture {
  readonly canvas: HTMLCanvasElement;
  readonly fileName: string;
}

export function takePicture(lookout: Lookout): TakenPicture {
  const { map, text } = picturedMap(lookout);
  if (!map)
    throw new Error(
      lookout.mapAbsence.get() ? 'There is no map to take a picture of.' : 'The map has nothing to take a picture of.',
    );
  const { color, backgroundColor } = getComputedStyle(document.body);
  return {
    canvas: drawPictureSheet(map, text, { ground: backgroundColor, text: color }),
    fileName: pictureFileName(lookout.display.summary()),
  };
}

export interface PicturedMap {
  /** `undefined` before the map has drawn, and while its graphics context is lost. */
  readonly map: MapPixels | undefined;
  readonly text: PictureText;
}

export function picturedMap({ display, mapCommands, mapView, preferences, colouring }: Lookout): PicturedMap {
  // A replay updates texts less often than marks.
  display.refresh();
  const summary = display.summary();
  const pixels: MapPixels[] = [];
  mapCommands.run({ kind: 'read-pixels', done: (read) => pixels.push(read) });
  const [map] = pixels;
  const { zone, units } = preferences.get();
  const { visible } = mapView.get();
  const attribution = map?.attribution ?? '';
  const facts = { summary, picture: display.picture(), visible, zone, units, colouring: colouring.get(), attribution };
  return { map, text: pictureText(facts) };
}

export function pngOf(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob) resolve(blob);
      else reject(new Error('This browser could not make a PNG of the picture.'));
    }, 'image/png');
  });
}
