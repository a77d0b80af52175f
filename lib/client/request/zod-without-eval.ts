import * as z from 'zod/mini';

// The content security policy forbids eval, which zod tries whenever an object schema is created. So this must be the first
// import of every browser entry point, before modules that create schemas.
z.config({ jitless: true });
