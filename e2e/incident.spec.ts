import { readFileSync } from 'node:fs';
import { parse } from 'csv-parse/sync';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { axeFaults } from './driver/axe-faults.ts';
import { IncidentTool } from './driver/incident-tool.ts';
import { mapFits } from './driver/map-fits.ts';
import { iso, pastWindow } from './driver/past-window.ts';
import { ReplayDock } from './driver/replay-dock.ts';
import { expect, test } from './lookout-test.ts';
import { makeRecording, playing } from './running/make-recording.ts';

const OVER = { lon: 8.2, lat: 46.9 };
const BESIDE = { lon: 8.32, lat: 46.9 };
/** Two over one place, a third next to it. The burst makes the ninth minute the present one. */
const drones = [
  { id: 'one', ...OVER, alt_m: 60 },
  { id: 'two', lon: 8.203, lat: 46.901 },
  { id: 'three', ...BESIDE, alt_m: 0 },
];
const burst = { afterMs: 9 * MINUTE_MS, tracks: 20, lon: 9.4, lat: 46.2 };

test('Was a drone over the runway? Five actions answer it, for yes and for no, to print and as a file', async ({
  startDesk,
  page,
}, info) => {
  const file = makeRecording(info.outputPath('recordings'), 'rid', drones, burst);
  const { operator } = await startDesk({ service: playing(file) });
  const incident = new IncidentTool(page);
  const dock = new ReplayDock(page);
  await operator.watches('/?view=46.9,8.25,10.5');
  const { start, end } = pastWindow(4);
  const times = `${iso(start).slice(11, 16)}–${iso(end).slice(11, 16)}`;
  let actions = 0;
  const act = (what: string, action: () => Promise<void>) => {
    actions += 1;
    return test.step(`action ${actions}: ${what}`, action);
  };
  const asks = async (place: { lon: number; lat: number }) => {
    actions = 0;
    await act('the tool', () => operator.button('Draw an area').click());
    await expect(incident.strip).toBeVisible();
    await mapFits(page);
    const at = await operator.pointOf(place);
    await act('the area', () => incident.drags(at, { x: at.x + 40, y: at.y }));
    await act('the times', async () => {
      await incident.times.fill(times);
      await incident.times.press('Enter');
    });
    await dock.isLoaded();
    await incident.isLookedThrough();
    await act('the answer', () => incident.panel.getByRole('button', { name: 'Answer' }).click());
    expect(actions).toBeLessThanOrEqual(5);
  };

  await test.step('yes, two tracks', async () => {
    await asks(OVER);
    await expect(incident.answer.getByText('Drones received inside: 2 simulated.', { exact: true })).toBeVisible();
    await expect(incident.answer.getByText('Drones: complete.')).toBeVisible();
    await expect(incident.answer.getByRole('row')).toHaveCount(1 + 2);
    await expect(incident.answer.getByRole('cell', { name: '60 m' }).first()).toBeVisible();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      incident.answer.getByRole('button', { name: 'Save as CSV' }).click(),
    ]);
    const rows = parse(readFileSync(await saved.path(), 'utf8'), { columns: true }) as Record<string, string>[];
    expect(rows.filter(({ row }) => row === 'track')).toHaveLength(2);
    expect(rows.find(({ row, kind }) => row === 'layer' && kind === 'Drones')?.complete).toBe('true');
    await incident.answer.getByLabel('Note, printed with the answer').fill('Police informed at 14:07.');
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    const sheet = page.getByTestId('answer-sheet');
    await expect(sheet).toContainText('Police informed at 14:07.');
    await expect(sheet).toContainText(/^.*\d+ (m|km)(, [\d.]+ k?m [NESW]+ of | around ).+/);
    await expect(sheet).toContainText(/Nearest drone: \d+ m from the middle of the area, \w{5} at \d\d:\d\d:\d\dZ\./);
    await expect(sheet).toContainText(/SIM · all tracks simulated/);
    await expect(sheet.locator('svg image')).toHaveAttribute('href', /^data:image\/jpeg;base64,/);
    // Dark never goes to paper.
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe('rgb(255, 255, 255)');
    expect(await sheet.evaluate((article) => getComputedStyle(article).color)).toBe('rgb(0, 0, 0)');
    await expect(page.getByTestId('map')).toBeHidden();
    await page.emulateMedia({ media: null, colorScheme: null });
    await page.keyboard.press('Escape');
  });

  await test.step('a click in the list jumps to the track’s first position', async () => {
    await expect(incident.rows).not.toHaveCount(0);
    const row = incident.rows.first();
    await row.getByRole('button').click();
    await expect(operator.tracks.card).toBeVisible();
    const ref = await row.getAttribute('data-ref');
    await expect.poll(() => new URL(page.url()).searchParams.get('sel')).toBe(ref);
    const shownMs = await dock.shownAtMs();
    expect(shownMs).toBeGreaterThanOrEqual(start);
    expect(shownMs - start).toBeLessThan(10_000);
  });

  await test.step('lanes follow the filter, and the area stands in the link', async () => {
    const lane = page.getByTestId('lane-rid');
    const shown = Number(await lane.getAttribute('data-shown'));
    expect(shown).toBeGreaterThan(0);
    expect(shown).toBeLessThan(Number(await lane.getAttribute('data-observations')));
    expect(new URL(page.url()).searchParams.get('inside')).toMatch(/^circle,8\.\d+,46\.\d+,\d+(\.\d)?m$/);
    await incident.button('Remove the area').click();
    await expect(incident.strip).toBeHidden();
    await expect.poll(() => new URL(page.url()).searchParams.get('inside')).toBeNull();
    await operator.button('Back to live').click();
  });

  await test.step('no, with the nearest received position', async () => {
    await page.keyboard.press('Escape');
    await asks({ lon: 8.26, lat: 46.97 });
    const verdict = incident.answer.getByText('No drone position received inside.');
    await expect(verdict).toBeVisible();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect.soft(await axeFaults(page), colorScheme).toEqual([]);
    }
    await expect(incident.answer).toContainText(
      /Nearest received position: [\d.]+ k?m away, \w{5} at \d\d:\d\d:\d\dZ\./,
    );
    await expect(incident.answer.getByText('Aircraft: complete.')).toBeVisible();
    await page.keyboard.press('Escape');
  });

  await test.step('a polygon is drawn by clicks, changed by dragging a corner, typed, and refused where it crosses itself', async () => {
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await incident.button('Draw a polygon').click();
    await mapFits(page);
    const corners = [
      { lon: 8.15, lat: 46.885 },
      { lon: 8.25, lat: 46.885 },
      { lon: 8.2, lat: 46.92 },
    ];
    for (const corner of [...corners, corners[0] as (typeof corners)[0]]) await operator.clicksMapAt(corner);
    await expect.poll(() => new URL(page.url()).searchParams.get('inside')).toMatch(/^polygon,/);
    const tab = page.getByRole('tab', { name: 'Tracks in this window' });
    await tab.click();
    await expect.poll(() => incident.rows.count()).toBeGreaterThanOrEqual(2);
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await incident.button('Change the area on the map').click();
    await mapFits(page);
    const [from, to] = [
      await operator.pointOf({ lon: 8.2, lat: 46.92 }),
      await operator.pointOf({ lon: 8.2, lat: 46.888 }),
    ];
    await incident.drags(from, to);
    await tab.click();
    await expect(incident.rows).toHaveCount(0);
    const field = incident.strip.getByLabel('Corners, separated by semicolons');
    await field.fill('46.8, 8.1; 47, 8.4; 47, 8.1; 46.8, 8.4');
    await field.press('Enter');
    await expect(incident.strip.getByRole('status')).toHaveText('The edges cross each other: move a corner.');
    await field.fill('46.8, 8.1; 46.8, 8.4; 47, 8.4; 47, 8.1');
    await field.press('Enter');
    await expect.poll(() => incident.rows.count()).toBeGreaterThanOrEqual(3);
  });
});
