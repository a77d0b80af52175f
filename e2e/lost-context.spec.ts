import { expect, test } from './lookout-test.ts';

test('A lost graphics context leaves the theme’s ground and a word; restored, the marks are back', async ({
  operator,
  page,
}) => {
  await operator.watches('/?view=46.9,8.2,7.6');
  const canvas = page.getByTestId('map').locator('canvas');
  const middle = { lat: 46.9, lon: 8.2 };
  const extension = await canvas.evaluateHandle((element) =>
    (element as HTMLCanvasElement).getContext('webgl2')?.getExtension('WEBGL_lose_context'),
  );
  await extension.evaluate((lose) => lose?.loseContext());
  await expect(page.getByTestId('map').getByRole('alert')).toContainText('lost its graphics context');
  expect(await operator.luminanceAt({ ...middle, lat: 46.2 })).toBeLessThan(60);
  await page.emulateMedia({ colorScheme: 'light' });
  expect(await operator.luminanceAt({ ...middle, lat: 46.2 })).toBeGreaterThan(150);
  await extension.evaluate((lose) => lose?.restoreContext());
  await expect(page.getByTestId('map').getByRole('alert')).toHaveCount(0);
  await expect.poll(() => operator.marksDrawn()).toBeGreaterThan(0);
  await expect(canvas).toBeVisible();
});
