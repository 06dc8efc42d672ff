// Posts the rows of the table of functions, when speedscope's page has read the profile of its URL.
"use strict";
const post = result => fetch("/result", { method: "POST", body: JSON.stringify(result) });
const sleep = ms => new Promise(done => setTimeout(done, ms));

(async () => {
  for (let i = 0; i < 600; i++) {
    await sleep(100);
    window.dispatchEvent(new KeyboardEvent("keypress", { key: "3" })); // the table of functions
    const rows = [...document.querySelectorAll("tr")].map(tr => [...tr.querySelectorAll("td")].map(td => td.textContent)).filter(r => r.length);
    if (rows.length) return post({ rows });
  }
  post({ error: "no table: " + document.body.textContent.slice(0, 300) });
})().catch(err => post({ error: String(err) }));
