import fc from 'fast-check';

// Commands of the service make files private; the next file of this process starts as a shell does.
process.umask(0o022);

// CI must give the same result each time; new cases are found elsewhere.
if (process.env.CI !== undefined) fc.configureGlobal({ seed: 20_261_121 });
