import { DOMParser, type Element } from '@xmldom/xmldom';
import { expect } from 'vitest';

export interface ReadEvent {
  readonly attributes: Readonly<Record<string, string>>;
  readonly point: Readonly<Record<string, string>>;
  readonly callsign: string | undefined;
  readonly remarks: string | undefined;
  readonly detail: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)$/;
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** Reads one event and checks the rules of MITRE's public schemas: base event, link and track. */
export function readEvent(xml: string): ReadEvent {
  const document = new DOMParser({ onError: (level, message) => expect.fail(`${level}: ${message}`) }).parseFromString(
    xml,
    'text/xml',
  );
  const event = document.documentElement;
  if (event === null) return expect.fail('no event');
  expect(event.tagName).toBe('event');
  const [point, detail, ...more] = elementsOf(event);
  expect([point?.tagName, detail?.tagName, more.length]).toEqual(['point', 'detail', 0]);
  const details = elementsOf(detail as Element);
  const read = {
    attributes: attributesOf(event),
    point: attributesOf(point as Element),
    callsign: details.find(({ tagName }) => tagName === 'contact')?.getAttribute('callsign') ?? undefined,
    remarks: details.find(({ tagName }) => tagName === 'remarks')?.textContent ?? undefined,
    detail: Object.fromEntries(details.map((each) => [each.tagName, attributesOf(each)])),
  };
  checkRules(read);
  return read;
}

function checkRules({ attributes, point, detail }: ReadEvent): void {
  expect(Object.keys(attributes)).toEqual(['version', 'uid', 'type', 'how', 'time', 'start', 'stale']);
  expect(attributes.type).toMatch(/^\w+(-\w+)*(;[^;]*)?$/);
  expect(attributes.how).toMatch(/^\w(-\w+)*$/);
  for (const name of ['time', 'start', 'stale']) expect(attributes[name]).toMatch(DATE_TIME);
  expect(Object.keys(point)).toEqual(['lat', 'lon', 'hae', 'ce', 'le']);
  for (const value of Object.values(point)) expect(value).toMatch(DECIMAL);
  expect(Math.abs(Number(point.lat))).toBeLessThanOrEqual(90);
  expect(Math.abs(Number(point.lon))).toBeLessThanOrEqual(180);
  if (detail.link) expect(Object.keys(detail.link)).toEqual(['uid', 'type', 'relation']);
  if (!detail.track) return;
  const { course, speed } = detail.track;
  expect(course).toMatch(DECIMAL);
  expect(speed).toMatch(DECIMAL);
  expect(Number(course)).toBeGreaterThanOrEqual(0);
  expect(Number(course)).toBeLessThan(360);
  expect(Number(speed)).toBeGreaterThanOrEqual(0);
}

function attributesOf(element: Element): Record<string, string> {
  return Object.fromEntries(Array.from(element.attributes, ({ name, value }) => [name, value]));
}

function elementsOf(element: Element): Element[] {
  return Array.from(element.childNodes).filter((node): node is Element => node.nodeType === node.ELEMENT_NODE);
}
