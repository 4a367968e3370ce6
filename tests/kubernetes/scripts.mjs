// The scripts of k8s against a scripted kubectl, which notes what it is asked: what they do in which order, and where they
// stop.
//
// usage: node scripts.mjs
for (const script of ["upgrade", "make_keys", "api_key", "jobs", "fill", "why"]) {
  const { tests } = await import(`./scripts/${script}.mjs`);
  for (const [sentence, test] of Object.entries(tests)) {
    await test();
    console.log(`ok ${sentence}`);
  }
}
