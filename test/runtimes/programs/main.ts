/** `main.ts PROGRAM SURROUNDINGS` on a runtime that runs files: prints what the program gives. */
const [program = '', surroundings = '{}'] = process.argv.slice(2);
// Every program of this folder has `run`.
const { run } = (await import(`./${program}.ts`)) as { run: (surroundings: unknown) => Promise<unknown> };
console.log(JSON.stringify(await run(JSON.parse(surroundings))));
