import { z } from 'zod';

/** The query of `GET /api/maps`: the name of a configured map. */
export const mapQuerySchema = z.strictObject({ name: z.string() });
