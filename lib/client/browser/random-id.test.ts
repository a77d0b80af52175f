import { expect, it } from 'vitest';
import { z } from 'zod';
import { randomId } from './random-id.ts';

it('makes distinct UUIDs of version 4', () => {
  const ids = new Set(Array.from({ length: 1000 }, randomId));
  expect(ids.size).toBe(1000);
  for (const id of ids) expect(z.uuidv4().safeParse(id).success, id).toBe(true);
});
