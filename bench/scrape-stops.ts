/**
 * Longest stop of a thread while it answers a scrape: of everything that waits for it, a request that arrives at the
 * worst moment. The client runs in a thread of its own, as reading 40 MB would stop this one as well.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

const TICK_MS = 1;
const SETTLED_MS = 50;

interface Stop {
  /** Between two ticks, less the time that a tick takes anyway. */
  readonly wallMs: number;
  /** Processor time of the thread between two ticks: not lengthened by others' work on the machine. */
  readonly cpuMs: number;
}

export class Scraper {
  readonly #worker = new Worker(
    `const { parentPort } = require('node:worker_threads');
     parentPort.on('message', async ({ url, accept }) => {
       const response = await fetch(url, { headers: { accept } });
       let bytes = 0;
       for await (const chunk of response.body) bytes += chunk.length;
       parentPort.postMessage(bytes);
     });`,
    { eval: true },
  );

  /** Stops of this thread during the scrape. */
  async stopOf(url: string, accept: string): Promise<Stop> {
    // Garbage of what was before is not this scrape's.
    await pause(SETTLED_MS);
    let [wallMs, cpuMs] = [0, 0];
    let wall = performance.now();
    let cpu = process.threadCpuUsage();
    const tick = () => {
      const spent = process.threadCpuUsage(cpu);
      wallMs = Math.max(wallMs, performance.now() - wall - TICK_MS);
      cpuMs = Math.max(cpuMs, (spent.user + spent.system) / 1000);
      wall = performance.now();
      cpu = process.threadCpuUsage();
    };
    const ticker = setInterval(tick, TICK_MS);
    await new Promise((resolve, reject) => {
      this.#worker.once('message', resolve);
      this.#worker.once('error', reject);
      this.#worker.postMessage({ url, accept });
    });
    tick();
    clearInterval(ticker);
    return { wallMs, cpuMs };
  }

  async stop(): Promise<void> {
    await this.#worker.terminate();
  }
}
