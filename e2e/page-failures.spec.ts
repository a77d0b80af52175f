import { expect, test } from './lookout-test.ts';

const LINE = 'a page reported an error of its own';

test('An unreadable answer is the page’s failure on screen, has a line in the log without places, and passes', async ({
  startDesk,
  page,
}) => {
  const { lookout, operator } = await startDesk();
  await operator.watches('/?view=46.9,8.2,8');
  // Each layer is read by itself, and the page shows the first that is.
  await expect(operator.state('Aircraft')).toHaveText(/up to date/);
  await page.route('**/api/live*', (route) =>
    route.fulfill({ status: 200, contentType: 'application/octet-stream', body: 'no frame at 46.9481,7.4474' }),
  );
  const notice = operator.notice('unreadable');
  await expect(notice).toContainText('This page could not read the answer.');
  await expect(notice.getByRole('button', { name: 'Reload the page' })).toBeVisible();
  await operator.waitsUntilOld('Aircraft', 5);
  await expect.poll(() => lookout.app.stderr()).toContain(LINE);
  const lines = lookout.app
    .stderr()
    .split('\n')
    .filter((line) => line.includes(LINE));
  expect(lines).toHaveLength(1);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({
    kind: 'answer',
    operator: 'local',
    engine: expect.stringMatching(/^Blink, /),
  });
  for (const place of ['46.9', '8.2', '7.4474', 'view=']) expect(lines[0]).not.toContain(place);

  await page.unroute('**/api/live*');
  await expect(notice).toHaveCount(0);
  await expect(operator.state('Aircraft')).toHaveText(/up to date/);
});

test('A worker that dies says so, and is started again; positions age meanwhile', async ({ operator, page }) => {
  let isBroken = true;
  await page.route(/turbopack-worker/, (route) =>
    isBroken
      ? route.fulfill({ contentType: 'text/javascript', body: 'throw new Error("sabotage of a worker")' })
      : route.continue(),
  );
  await operator.goesTo('/?view=46.9,8.2,8');
  const notice = operator.notice('stopped');
  await expect(notice).toContainText('A part of this page stopped, and is started again.');
  await expect(page.getByText('Lookout’s own server does not answer')).toHaveCount(0);
  isBroken = false;
  await operator.seesPositions();
  await expect(notice).toHaveCount(0);
});

test('A worker whose code the server no longer has says that it did not load', async ({ operator, page }) => {
  await page.route(/turbopack-worker/, (route) => route.fulfill({ status: 404 }));
  await operator.goesTo('/?view=46.9,8.2,8');
  const notice = operator.notice('not-loaded');
  await expect(notice).toContainText('A part of this page did not load, and is requested again.');
  await expect(notice.getByRole('button', { name: 'Reload the page' })).toBeVisible();
});
