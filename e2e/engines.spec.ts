import { writeFileSync } from 'node:fs';
import { overviewHoursSchema } from '#lib/api/overview.ts';
import { HOUR_MS } from '#lib/time/time-units.ts';
import { isMissing } from '#testing/missing-package.ts';
import { EnginePage } from './driver/engine-page.ts';
import { addressTime, pastWindow } from './driver/past-window.ts';
import { expect, sharedInFile, test } from './lookout-test.ts';
import { makeRecording, playing } from './running/make-recording.ts';
import { ENGINES, type RunningEngine } from './running/running-engine.ts';
import { startLookout } from './running/running-lookout.ts';

const BALLOON = { lon: 8.2, lat: 46.9 };

// One app for both engines, one after the other.
test.describe.configure({ mode: 'default' });

const lookout = sharedInFile(async ({ plainBasemap }) =>
  startLookout({
    service: playing(makeRecording(test.info().outputPath(), 'adsb', [{ id: 'balloon', ...BALLOON }])),
    settings: plainBasemap,
  }),
);

for (const [name, { start, packages }] of Object.entries(ENGINES)) {
  test(`${name} draws live and past positions, raises a zone’s alarm, keeps an incident and shows the overview`, async () => {
    const info = test.info();
    test.skip(packages.filter(isMissing).length > 0, `it needs ${packages.join(', ')}`);
    const engine = await start();
    try {
      await walks(engine);
    } catch (error) {
      const path = info.outputPath(`${name}.png`);
      writeFileSync(path, await engine.picture());
      await info.attach('page', { path });
      throw error;
    } finally {
      await engine.stop();
    }
  });
}

async function walks(engine: RunningEngine): Promise<void> {
  const { url, app } = lookout();
  const page = new EnginePage(engine);
  const drawn = async () => Number(await page.attribute('[data-testid=map]', 'data-drawn'));
  const view = '/?view=46.9,8.2,9&layers=adsb';
  await engine.resize(1024, 640);

  await test.step('live', async () => {
    await page.open(`${url}${view}`);
    await expect.poll(drawn, 'marks on the map').toBe(1);
    await expect.poll(() => page.text('[data-testid=layer-state-adsb]')).toContain('up to date');
  });

  await test.step('a zone, written in its form, raises an alarm that is acknowledged', async () => {
    await page.click('Zones');
    await page.click('Create zone');
    await page.click('All traffic');
    await page.fill('Name', engine.name);
    await page.click('Circle');
    await page.fill('Centre', '46.9, 8.2');
    await page.fill('Radius', '2000');
    await page.click('Include simulated');
    await page.click('Save zone');
    await expect.poll(() => page.text('[data-testid=zone-list]')).toContain(engine.name);
    await expect.poll(() => page.attribute('[data-testid=chip-alarms]', 'aria-label')).toMatch(/^1 new alarm · /);
    await page.click('1 new alarm');
    await page.click('Acknowledge');
    const stage = () => page.attribute('[data-testid=alarm]', 'data-stage', engine.name);
    await expect.poll(stage).toBe('acknowledged');
  });

  await test.step('an incident of the map, with a note', async () => {
    await page.click('New incident');
    await page.fill('Title', engine.name);
    await page.click('Open incident');
    await page.click('Stay on the map');
    const chip = () => page.attribute('[data-testid=chip-incidents]', 'aria-label');
    await expect.poll(chip).toMatch(/^Open incident \d{4}-001 · |^2 open incidents$/);
    await page.click('Note on the incident');
    await page.fill('Note', 'Runway closed');
    await page.click('Write note');
    await expect.poll(() => page.attribute('[role=dialog]', 'role')).toBeNull();
    await page.open(`${url}/incidents`);
    await expect.poll(() => page.text('main')).toContain(engine.name);
  });

  await test.step('a replay', async () => {
    const { start, end } = pastWindow(10);
    await page.open(`${url}${view}&from=${addressTime(start)}&to=${addressTime(end)}`);
    await expect.poll(() => page.attribute('[data-testid=replay-loading]', 'data-loading')).toBe('done');
    await expect.poll(drawn, 'marks on the map').toBeGreaterThan(0);
  });

  await test.step('the overview', async () => {
    const area = 'bbox=7.8,46.5,8.6,47.3';
    // Its hours are written every 20 s.
    const positions = async () => {
      const window = { start: new Date(Date.now() - HOUR_MS).toISOString(), end: new Date().toISOString() };
      const answer = await fetch(`${url}/api/overview/hours?${area}&${new URLSearchParams(window)}`);
      const { layers } = overviewHoursSchema.parse(await answer.json());
      return layers.flatMap(({ hours }) => hours).reduce((sum, { simulated }) => sum + simulated.positions, 0);
    };
    await expect.poll(positions, 'counted positions').toBeGreaterThan(0);
    await page.open(`${url}/overview?${area}&layer=adsb&counted=simulated`);
    await expect.poll(() => page.attribute('[data-look=received]', 'data-look')).toBe('received');
  });

  expect(app.stderr(), 'errors of the page itself').not.toContain('a page reported an error of its own');
}
