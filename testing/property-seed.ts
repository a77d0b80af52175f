import fc from 'fast-check';

// CI says of a change whether it broke something, and says the same each time; new cases are looked for everywhere else.
if (process.env.CI !== undefined) fc.configureGlobal({ seed: 20_261_121 });
