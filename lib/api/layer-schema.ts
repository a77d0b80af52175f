import * as z from 'zod/mini';
import { LAYERS } from '../model/position.ts';

export const layerSchema = z.enum(LAYERS);
