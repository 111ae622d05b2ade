import { compareWithReference } from '../test/model/otlp/reference-reading.ts';
import { Random, mutate, randomRequest } from '../test/model/otlp/random-requests.ts';
const r=new Random(Number(process.argv[2]??1)); const counts:Record<string,number>={}; let shown=0, size=0; const t=Date.now();
for(let i=0;i<Number(process.argv[3]??20000);i++){ const sig=i%3?'traces':'logs'; let b=randomRequest(sig,r); if(i%2) b=mutate(b,r); size+=b.length; const c=compareWithReference(sig,b); const k=c.result+('problem'in c?':'+c.problem:'')+('rows' in c&&c.rows===0?'(empty)':''); counts[k]=(counts[k]??0)+1; if((c.result==='disagreement'||c.result==='crash')&&shown++<3) console.log(i,sig,b.toString('hex').slice(0,600),c.what); }
console.log(counts,size,Date.now()-t,'ms');
