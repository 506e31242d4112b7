/** `import.ts SPECIFIER...`: prints those that cannot be imported, with the reason, and ends whatever they keep open. */
const refused: [string, string][] = [];
for (const specifier of process.argv.slice(2)) {
  try {
    await import(specifier);
  } catch (error) {
    refused.push([specifier, String(error)]);
  }
}
console.log(JSON.stringify(refused));
process.exit(0);
