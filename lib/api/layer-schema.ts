import { z } from 'zod';
import { LAYERS } from '../model/position.ts';

export const layerSchema = z.enum(LAYERS);
