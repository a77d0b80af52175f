import { expect, type Locator, type Page } from '@playwright/test';
import { distanceM } from '#lib/geo/great-circle.ts';
import type { LookoutDriver } from './lookout-driver.ts';
import { mapFits } from './map-fits.ts';

interface Place {
  readonly lat: number;
  readonly lon: number;
}

export class ZonesPanel {
  readonly #page: Page;
  readonly #operator: LookoutDriver;

  constructor(operator: LookoutDriver) {
    this.#operator = operator;
    this.#page = operator.page;
  }

  get list(): Locator {
    return this.#page.getByTestId('zone-list');
  }

  get form(): Locator {
    return this.#page.getByRole('form', { name: /^New zone$|^Change / });
  }

  get price(): Locator {
    return this.#page.getByTestId('zone-price');
  }

  get chip(): Locator {
    return this.#page.getByTestId('chip-alarms');
  }

  get alarms(): Locator {
    return this.#page.getByTestId('alarm');
  }

  /** The last announcement. */
  get call(): Locator {
    return this.#page.getByTestId('alarm-call');
  }

  async startsZone(name: string): Promise<void> {
    await this.#page.getByRole('tab', { name: 'Zones' }).click();
    await this.#page.getByRole('button', { name: 'Create zone' }).click();
    // Recordings of the tests have aircraft, also without heights.
    await this.form.getByRole('radio', { name: 'All traffic' }).click();
    await this.form.getByLabel('Name').fill(name);
  }

  /** For an import. */
  async chooses(name: string, content: object): Promise<void> {
    const chosen = this.#page.waitForEvent('filechooser');
    await this.#page.getByRole('button', { name: 'Import' }).click();
    await (await chosen).setFiles({
      name,
      mimeType: 'application/geo+json',
      buffer: Buffer.from(JSON.stringify(content)),
    });
  }

  /** The latest first. */
  get logEntries(): Locator {
    return this.#page.getByTestId('alarm-log').getByRole('listitem');
  }

  /** Waits until a press draws. */
  async isDrawing(): Promise<void> {
    await expect(this.#page.getByTestId('zone-drawing')).toBeVisible();
    await mapFits(this.#page);
  }

  async draws(corners: readonly Place[]): Promise<void> {
    // A preset that is chosen with a mouse is drawn at once.
    const draws = this.form.getByRole('button', { name: 'Draw on the map' });
    if (await draws.isVisible()) await draws.click();
    await this.isDrawing();
    for (const corner of corners) await this.#operator.clicksMapAt(corner);
    await this.#page.getByRole('button', { name: 'Finish' }).click();
    await expect(this.#page.getByTestId('zone-drawing')).toHaveCount(0);
    await mapFits(this.#page);
  }

  async corners(): Promise<readonly Place[]> {
    const text = await this.form.getByLabel('Corners, one per line').inputValue();
    return text.split('\n').map((line) => {
      const [lat = Number.NaN, lon = Number.NaN] = line.split(',').map(Number);
      return { lat, lon };
    });
  }

  /** From a place; NaN without the corner. */
  async cornerDistanceM(corner: number, place: Place): Promise<number> {
    return distanceM((await this.corners())[corner] ?? { lat: Number.NaN, lon: Number.NaN }, place);
  }

  /** Of a circle, from a place. */
  async centreDistanceM(place: Place): Promise<number> {
    const [lat = Number.NaN, lon = Number.NaN] = (await this.form.getByLabel('Centre').inputValue())
      .split(',')
      .map(Number);
    return distanceM({ lat, lon }, place);
  }

  async saves(): Promise<void> {
    await this.form.getByRole('button', { name: 'Save zone' }).click();
    await expect(this.form).toHaveCount(0);
  }

  async showsAlarms(): Promise<void> {
    await this.chip.click();
    await expect(this.#page.getByRole('radio', { name: /^Alarms/ })).toBeChecked();
  }
}
