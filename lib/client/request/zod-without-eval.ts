import * as z from 'zod/mini';

// The CSP forbids eval, which zod tries for every object schema: import this first in every browser entry.
z.config({ jitless: true });
