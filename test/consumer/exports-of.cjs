// Prints which names `require` and `import` give for each subpath, each in a thread with modules of its own.
const { Worker, isMainThread, workerData, parentPort } = require('node:worker_threads');

const namesOf = (module) =>
  Object.keys(module)
    .filter((name) => name !== '__esModule')
    .sort();

const inThread = (specifier) =>
  new Promise((resolve, reject) => {
    new Worker(__filename, { workerData: specifier }).once('message', resolve).once('error', reject);
  });

const main = async () => {
  const found = [];
  for (const specifier of process.argv.slice(2)) found.push([specifier, ...(await inThread(specifier))]);
  console.log(JSON.stringify(found));
};

if (isMainThread) void main();
else {
  const required = namesOf(require(workerData));
  void import(workerData).then((imported) => parentPort.postMessage([required, namesOf(imported)]));
}
