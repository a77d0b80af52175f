import { expect, test } from './lookout-test.ts';
import { makeRecording, playing } from './running/make-recording.ts';

test('Repeated clicks on a pile of marks select one after the other, as dots and as silhouettes', async ({
  startDesk,
}, info) => {
  const place = { lon: 8.2, lat: 46.9 };
  const pile = ['one', 'two', 'three'].map((id) => ({ id, ...place, alt_m: 2000, trk_deg: 90 }));
  const { operator } = await startDesk({ service: playing(makeRecording(info.outputPath(), 'adsb', pile)) });
  await operator.watches('/?view=46.9,8.2,5');
  for (const zoom of [5, 9]) {
    while (operator.viewInAddress()?.zoom !== zoom) {
      const before = operator.viewInAddress()?.zoom;
      await operator.page.keyboard.press('+');
      await expect.poll(() => operator.viewInAddress()?.zoom).not.toBe(before);
    }
    await expect.poll(() => operator.marksDrawn()).toBeGreaterThanOrEqual(3);
    const picked = new Set<string>();
    for (let click = 0; click < 3; click++) {
      const before = await operator.tracks.selectedRow.getAttribute('data-ref', { timeout: 1 }).catch(() => null);
      await operator.clicksMapAt(place);
      await expect(operator.tracks.card).toBeVisible();
      await expect.poll(() => operator.tracks.selectedReference()).not.toBe(before);
      picked.add(await operator.tracks.selectedReference());
    }
    await operator.page.keyboard.press('Escape');
    expect(picked.size, `marks selected by three clicks at zoom ${zoom}`).toBe(3);
  }
});

test('Pointing at a mark says what it is, and how far its position is to be trusted', async ({ startDesk }, info) => {
  const place = { lon: 8.2, lat: 46.9 };
  const track = { id: 'one', ...place, alt_m: 2000, trk_deg: 90 };
  const { operator } = await startDesk({ service: playing(makeRecording(info.outputPath(), 'adsb', [track])) });
  await operator.watches('/?view=46.9,8.2,9');
  await expect.poll(() => operator.marksDrawn()).toBe(1);
  const tip = operator.page.getByTestId('hover-tip');
  await operator.pointsAt(place);
  await expect(tip).toContainText('Aircraft');
  await expect(tip).toContainText('2000 m');
  await expect(tip).toContainText('Confidence not reported');
  await operator.pointsAt({ lon: 8.4, lat: 46.9 });
  await expect(tip).toHaveCount(0);
});
