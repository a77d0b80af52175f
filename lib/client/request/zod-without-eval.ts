import { z } from 'zod';

// The page's policy allows no eval, and zod tries it whenever a schema of an object is made. So this is the first import of
// every entry to the browser's code: before the modules that make schemas.
z.config({ jitless: true });
