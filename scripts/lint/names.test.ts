import { expect, test } from 'vitest';
import { brokenNames } from './names.ts';

const broken = (source: string) => brokenNames('a.tsx', source).map(({ line, name }) => [line, name]);

test.each([
  ['export const unheardOver = 1;', 'unheardOver'],
  ['export function read(told: string) {}', 'told'],
  ['interface A { readonly heardAt: number }', 'heardAt'],
  ['type Told = string;', 'Told'],
  ['class A { #hears = 1; }', 'hears'],
  ['const HEARD_MAX = 5;', 'HEARD_MAX'],
  ['const { tell: say } = a;', 'tell'],
  ['const view = <Heard />;', 'Heard'],
  ['const nobody = open();', 'nobody'],
  ['const MADE_ANEW = 1;', 'MADE_ANEW'],
  ['export async function orRefuse() {}', 'orRefuse'],
  ['const orNull = (value) => value;', 'orNull'],
  ['class A { async orNothing() {} }', 'orNothing'],
  ['const look = () => read();', 'look'],
  ['maps.look(name);', 'look'],
  ['for (const look of waiting) look();', 'look'],
])('%s breaks a rule', (source, name) => {
  expect(broken(source)).toEqual([[1, name]]);
});

test.each([
  ['a name of the contract or of a table', 'const { last_heard_at } = receiver;'],
  ['a word inside another', 'const satellite = shear(cartels, heartbeat);'],
  ['the look of a mark', 'const look = LOOKS[kind]; CELL[look](look.colour, lookOf(track));'],
  ['a value with an alternative', 'const orNew = isMade ? one : other;'],
  ['a string or comment', "// The receiver hears it.\nconst text = 'not yet heard';"],
])('%s is fine', (_, source) => {
  expect(broken(source)).toEqual([]);
});

test('a name is reported once in a file, at its first line', () => {
  expect(broken('const a = 1;\nconst heard = a;\nuse(heard);')).toEqual([[2, 'heard']]);
});
