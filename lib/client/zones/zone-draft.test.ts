import { expect, test } from 'vitest';
import { typedShape } from '#lib/zones/typed-shape.ts';
import { shapePlaces } from './zone-draft.ts';

test('the text of a shape is read as the same shape', () => {
  for (const [type, text] of [
    ['Polygon', '47.4, 8.5\n47.4, 8.6\n47.5, 8.6'],
    ['Circle', '47.458, 8.548'],
    ['Corridor', '47.4, 8.5\n47.5, 8.6'],
  ] as const) {
    const typed = typedShape({ type, text, metres: 800 });
    if (!typed.ok) throw new Error('not read');
    expect(shapePlaces(typed.shape)).toBe(text);
    expect(typedShape({ type, text: shapePlaces(typed.shape), metres: 800 })).toEqual(typed);
  }
});
