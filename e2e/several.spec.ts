import { expect, test } from './lookout-test.ts';
import { makeRecording, playing } from './running/make-recording.ts';

/** In a row from west to east, and one far south of it. */
const balloons = [
  { id: 'slow', lon: 8.2, lat: 46.9, alt_m: 1000, gs_mps: 5 },
  { id: 'fast', lon: 8.4, lat: 46.9, alt_m: 1000, gs_mps: 280 },
  { id: 'unknown', lon: 8.6, lat: 46.9, alt_m: 1000 },
  { id: 'south', lon: 8.4, lat: 46.7, alt_m: 1000, gs_mps: 90 },
];

test('Colours stand for what the operator chooses, in link, legend, marks and print alike', async ({
  startDesk,
}, info) => {
  const { operator } = await startDesk({ service: playing(makeRecording(info.outputPath(), 'adsb', balloons)) });
  const { page } = operator;
  const parameter = (name: string) => new URL(page.url()).searchParams.get(name);
  await operator.watches('/?view=46.85,8.4,9&colour=speed');
  await expect.poll(() => operator.marksDrawn()).toBe(4);

  await test.step('Colours: from a link, with the scales of what they stand for', async () => {
    await expect(operator.legend).toContainText('Aircraft speed, m/s');
    await expect(operator.legend).toContainText('Drone speed, m/s');
    await operator.tracks.sortsBy(/^Ground speed/);
    expect(new Set(await operator.tracks.markColours()).size, 'three speeds and one unknown').toBe(4);
    expect(await operator.tracks.markColours()).toHaveLength(4);
  });

  await test.step('Colours: chosen in the View tab, in the link, and kept by a reload', async () => {
    await page.getByRole('tab', { name: 'View' }).click();
    const choice = page.getByRole('radiogroup', { name: 'Colour by' });
    await choice.getByRole('radio', { name: 'Altitude' }).click();
    await expect(operator.legend).toContainText('Aircraft altitude, m');
    await expect.poll(() => parameter('colour')).toBeNull();
    await choice.getByRole('radio', { name: 'Kind' }).click();
    await expect(operator.legend.getByRole('list')).toHaveText('AircraftDrone');
    await expect.poll(() => parameter('colour')).toBe('kind');
    await page.reload();
    await operator.seesPositions();
    await expect(operator.legend.getByRole('list')).toHaveText('AircraftDrone');
    await page.getByRole('tab', { name: 'Tracks' }).click();
    expect(new Set(await operator.tracks.markColours()).size, 'all of one kind').toBe(1);
  });
});
