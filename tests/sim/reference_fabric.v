// One load row and one store row over two banks, written by hand: what the bench is tried on.
// Word n of the 64 words of 32 bits lies in bank n % 2; addresses are word indices.
// Each row holds one operand per role and one firing. Configuration: one payload word at 0, of
// which bits 1 and 2 activate the rows; commit at 4; status at 8; identity at 16; flags at 20.
module reference_fabric (
    input clk, input rst,
    input [31:0] cfg_awaddr, input cfg_awvalid, output cfg_awready,
    input [31:0] cfg_wdata, input [3:0] cfg_wstrb, input cfg_wvalid, output cfg_wready,
    output [1:0] cfg_bresp, output reg cfg_bvalid, input cfg_bready,
    input [31:0] cfg_araddr, input cfg_arvalid, output cfg_arready,
    output reg [31:0] cfg_rdata, output [1:0] cfg_rresp, output reg cfg_rvalid, input cfg_rready,
    input [7:0] ld_addr_data, input ld_addr_valid, output ld_addr_ready,
    input ld_ctrl_valid, output ld_ctrl_ready,
    output [31:0] ld_data_data, output ld_data_valid, input ld_data_ready,
    output ld_done_valid, input ld_done_ready,
    input [7:0] st_addr_data, input st_addr_valid, output st_addr_ready,
    input [31:0] st_data_data, input st_data_valid, output st_data_ready,
    input st_ctrl_valid, output st_ctrl_ready,
    output st_done_valid, input st_done_ready
);
    // Configuration.
    reg [31:0] shadow, active;
    wire write = cfg_awvalid & cfg_wvalid & ~cfg_bvalid;
    wire read = cfg_arvalid & ~cfg_rvalid;
    wire refused = write & (cfg_awaddr == 16) & (cfg_wdata != 32'h1234_5678);
    reg bad;
    assign cfg_awready = write;
    assign cfg_wready = write;
    assign cfg_arready = read;
    assign cfg_bresp = bad ? 2'd2 : 2'd0;
    assign cfg_rresp = 2'd0;

    // Operands: one register and one occupancy bit per role.
    reg la, lc, sa, sd, sc;
    reg [7:0] la_data, sa_data;
    reg [31:0] sd_data;
    assign ld_addr_ready = active[1] & ~la;
    assign ld_ctrl_ready = active[1] & ~lc;
    assign st_addr_ready = active[2] & ~sa;
    assign st_data_ready = active[2] & ~sd;
    assign st_ctrl_ready = active[2] & ~sc;

    // One firing per row.
    reg lbusy, lfull, sbusy;
    reg [31:0] lresult;
    wire ld_fire = lfull & ld_data_ready & ld_done_ready;
    wire st_fire = sbusy & st_done_ready;
    wire ld_issue = la & lc & ~lbusy;
    wire st_issue = sa & sd & sc & ~sbusy;
    assign ld_data_valid = ld_fire;
    assign ld_done_valid = ld_fire;
    assign st_done_valid = st_fire;
    assign ld_data_data = lresult;

    // Storage and the report of what lies outside.
    reg [31:0] bank0 [31:0];
    reg [31:0] bank1 [31:0];
    reg sticky, sticky_row;
    reg [31:0] sticky_address;
    wire ld_out = la_data >= 64;
    wire st_out = sa_data >= 64;
    wire quiescent = ~(la | lc | sa | sd | sc | lbusy | sbusy);

    always @(posedge clk) begin
        cfg_bvalid <= write | (cfg_bvalid & ~cfg_bready);
        if (write) bad <= refused;
        if (write & (cfg_awaddr == 0)) shadow <= cfg_wdata;
        if (write & (cfg_awaddr == 4)) active <= shadow;
        cfg_rvalid <= read | (cfg_rvalid & ~cfg_rready);
        if (read)
            case (cfg_araddr)
                0: cfg_rdata <= active;
                20: cfg_rdata <= {quiescent, sticky};
                24: cfg_rdata <= sticky_row;
                28: cfg_rdata <= sticky_address;
                default: cfg_rdata <= 0;
            endcase

        if (ld_addr_valid & ld_addr_ready) begin la <= 1; la_data <= ld_addr_data; end
        if (ld_ctrl_valid & ld_ctrl_ready) lc <= 1;
        if (st_addr_valid & st_addr_ready) begin sa <= 1; sa_data <= st_addr_data; end
        if (st_data_valid & st_data_ready) begin sd <= 1; sd_data <= st_data_data; end
        if (st_ctrl_valid & st_ctrl_ready) sc <= 1;

        if (ld_issue) begin
            la <= 0; lc <= 0; lbusy <= 1; lfull <= 1;
            lresult <= ld_out ? 0 : la_data[0] ? bank1[la_data[5:1]] : bank0[la_data[5:1]];
        end
        if (ld_fire) begin lbusy <= 0; lfull <= 0; end
        if (st_issue) begin
            sa <= 0; sd <= 0; sc <= 0; sbusy <= 1;
            if (~st_out & sa_data[0]) bank1[sa_data[5:1]] <= sd_data;
            if (~st_out & ~sa_data[0]) bank0[sa_data[5:1]] <= sd_data;
        end
        if (st_fire) sbusy <= 0;
        if (~sticky & (ld_issue & ld_out | st_issue & st_out)) begin
            sticky <= 1;
            sticky_row <= ~(ld_issue & ld_out);
            sticky_address <= (ld_issue & ld_out ? la_data : sa_data) << 2;
        end

        if (rst) begin
            {la, lc, sa, sd, sc, lbusy, lfull, sbusy, sticky} <= 0;
            {cfg_bvalid, cfg_rvalid, active} <= 0;
        end
    end
endmodule
